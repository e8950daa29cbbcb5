// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

extension ConditionSourceContract {
    /// The two seconds that the port allows, and a margin for a busy machine.
    private static let firstLimit = Duration.milliseconds(2500)

    func firstInTime(_ subject: Subject) async throws {
        _ = try await observe(subject) { _ in }
    }

    func factsAreSane(_ subject: Subject) async throws {
        let reported = try await observe(subject) { snapshots in
            if let change = subject.change { try await awaitReport(snapshots, try await change(), "a change") }
        }
        let now = subject.now()
        for (index, snapshot) in reported.enumerated() {
            let isFirst = index == 0
            try verify(at: snapshot.power, "power", isUnknown: snapshot.power.value == .unknown, isFirst, now)
            try verify(
                at: snapshot.battery, "battery", isUnknown: snapshot.battery.value == BatteryState(), isFirst, now)
            try verify(at: snapshot.network, "network", isUnknown: snapshot.network.value == .unknown, isFirst, now)
            try verify(at: snapshot.linkKind, "linkKind", isUnknown: snapshot.linkKind.value == .unknown, isFirst, now)
            try verify(at: snapshot.metered, "metered", isUnknown: snapshot.metered.value == .unknown, isFirst, now)
            try verify(at: snapshot.connection, "connection", isUnknown: snapshot.connection.value == nil, isFirst, now)
            try verify(at: snapshot.roaming, "roaming", isUnknown: snapshot.roaming.value == .unknown, isFirst, now)
            try verify(at: snapshot.underlay, "underlay", isUnknown: snapshot.underlay.value == nil, isFirst, now)
            try verify(at: snapshot.interface, "interface", isUnknown: snapshot.interface.value == nil, isFirst, now)
        }
    }

    private func verify<Value>(
        at fact: Fact<Value>, _ name: String, isUnknown: Bool, _ isFirst: Bool, _ now: ClockReading
    ) throws {
        try expect(
            fact.since.instant <= now.instant, "\(name) is dated \(fact.since.instant), after \(now.instant)")
        try expect(fact.since.instant >= .zero, "\(name) is dated before the clock began: \(fact.since.instant)")
        try expect(
            fact.source != .none || isUnknown, "\(name) is \(fact.value), but has no source")
        try expect(
            fact.source != .none || fact.confidence != .reported, "\(name) is reported, but has no source")
        try expect(!isFirst || !fact.isObservedChange, "\(name) is an observed change in the first snapshot")
    }

    func nothingIsRepeated(_ subject: Subject) async throws {
        let reported = try await observe(subject) { snapshots in
            try await subject.readAgain?()
            subject.source.readyToSleep()
            if let change = subject.change { try await awaitReport(snapshots, try await change(), "a change") }
            try await subject.readAgain?()
            try await subject.readAgain?()
        }
        for (earlier, later) in zip(reported, reported.dropFirst()) {
            try expect(earlier != later, "the same snapshot was reported twice in a row: \(later)")
        }
    }

    func changeIsReported(_ subject: Subject) async throws {
        _ = try await observe(subject) { snapshots in
            guard let change = subject.change else { return }
            for _ in 0..<3 { try await awaitReport(snapshots, try await change(), "a change") }
        }
    }

    func slowSeesNewest(_ subject: Subject) async throws {
        let stream = subject.source.snapshots()
        guard let change = subject.change else { return }
        var newest: Conditions?
        for _ in 0..<5 { newest = try await change() }
        guard let newest else { return }
        let reported = try await stream.observed { try await awaitReport($0, newest, "the newest of several changes") }
        try expectEqual(reported.last, newest, "the last reported snapshot")
    }

    func stopEnds(_ subject: Subject) async throws {
        let timeout = timeout
        _ = try await observe(subject) { snapshots in
            async let one: Void = subject.source.stop()
            async let two: Void = subject.source.stop()
            _ = await (one, two)
            await subject.source.stop()
            subject.source.readyToSleep()
            // No condition is ever met. The wait ends with the stream.
            _ = await snapshots.wait(atMost: timeout) { _ in false }
            try expect(snapshots.isFinished, "the stream did not end after stop")
        }
        try await expectEnd(subject, "a stream that was requested after stop")
    }

    func stopBeforeUse(_ subject: Subject) async throws {
        await subject.source.stop()
        try await expectEnd(subject, "a stream that was requested after stop")
    }

    private func expectEnd(_ subject: Subject, _ what: String) async throws {
        let timeout = timeout
        _ = try await subject.source.snapshots().observed { snapshots in
            _ = await snapshots.wait(atMost: timeout) { _ in false }
            try expect(snapshots.isFinished, "\(what) did not end")
        }
    }

    /// Runs `body` after the first snapshot has arrived, and returns all snapshots.
    private func observe(
        _ subject: Subject, _ body: (Observed<Conditions>) async throws -> Void
    ) async throws -> [Conditions] {
        try await subject.source.snapshots().observed { snapshots in
            let isThere = await snapshots.wait(atMost: min(Self.firstLimit, timeout)) { !$0.isEmpty }
            try expect(isThere, "no snapshot arrived within two seconds")
            try await body(snapshots)
        }
    }

    private func awaitReport(_ snapshots: Observed<Conditions>, _ expected: Conditions, _ what: String) async throws {
        let came = await snapshots.wait(atMost: timeout) { $0.last == expected }
        try expect(came, "\(what) was not reported; the last snapshot is \(snapshots.elements.last as Any)")
    }
}
