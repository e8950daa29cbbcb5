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
        let told = try await observe(subject) { snapshots in
            if let change = subject.change { try await awaitTold(snapshots, try await change(), "a change") }
        }
        let now = subject.now()
        for (index, snapshot) in told.enumerated() {
            let isFirst = index == 0
            try look(at: snapshot.power, "power", isUnknown: snapshot.power.value == .unknown, isFirst, now)
            try look(
                at: snapshot.battery, "battery", isUnknown: snapshot.battery.value == BatteryState(), isFirst, now)
            try look(at: snapshot.network, "network", isUnknown: snapshot.network.value == .unknown, isFirst, now)
            try look(at: snapshot.linkKind, "linkKind", isUnknown: snapshot.linkKind.value == .unknown, isFirst, now)
            try look(at: snapshot.metered, "metered", isUnknown: snapshot.metered.value == .unknown, isFirst, now)
            try look(at: snapshot.connection, "connection", isUnknown: snapshot.connection.value == nil, isFirst, now)
            try look(at: snapshot.roaming, "roaming", isUnknown: snapshot.roaming.value == .unknown, isFirst, now)
            try look(at: snapshot.underlay, "underlay", isUnknown: snapshot.underlay.value == nil, isFirst, now)
            try look(at: snapshot.interface, "interface", isUnknown: snapshot.interface.value == nil, isFirst, now)
        }
    }

    private func look<Value>(
        at fact: Fact<Value>, _ name: String, isUnknown: Bool, _ isFirst: Bool, _ now: Moment
    ) throws {
        try expect(
            fact.since.instant <= now.instant, "\(name) holds since \(fact.since.instant), after \(now.instant)")
        try expect(fact.since.instant >= .zero, "\(name) holds since before the clock began: \(fact.since.instant)")
        try expect(
            fact.source != .none || isUnknown, "\(name) is \(fact.value), though its source is that nobody answered")
        try expect(
            fact.source != .none || fact.sureness != .reported, "\(name) is reported, though nobody answered")
        try expect(!isFirst || !fact.isObservedChange, "\(name) was seen to change in the very first snapshot")
    }

    func nothingIsRepeated(_ subject: Subject) async throws {
        let told = try await observe(subject) { snapshots in
            try await subject.lookAgain?()
            subject.source.readyToSleep()
            if let change = subject.change { try await awaitTold(snapshots, try await change(), "a change") }
            try await subject.lookAgain?()
            try await subject.lookAgain?()
        }
        for (earlier, later) in zip(told, told.dropFirst()) {
            try expect(earlier != later, "the same snapshot was told twice in a row: \(later)")
        }
    }

    func changeIsTold(_ subject: Subject) async throws {
        _ = try await observe(subject) { snapshots in
            guard let change = subject.change else { return }
            for _ in 0..<3 { try await awaitTold(snapshots, try await change(), "a change") }
        }
    }

    func slowSeesNewest(_ subject: Subject) async throws {
        let stream = subject.source.snapshots()
        guard let change = subject.change else { return }
        var newest: Conditions?
        for _ in 0..<5 { newest = try await change() }
        guard let newest else { return }
        let told = try await stream.observed { try await awaitTold($0, newest, "the newest of several changes") }
        try expectEqual(told.last, newest, "the last snapshot that was told")
    }

    func stopEnds(_ subject: Subject) async throws {
        let patience = patience
        _ = try await observe(subject) { snapshots in
            async let one: Void = subject.source.stop()
            async let two: Void = subject.source.stop()
            _ = await (one, two)
            await subject.source.stop()
            subject.source.readyToSleep()
            // No condition is ever met. The wait ends with the stream.
            _ = await snapshots.wait(atMost: patience) { _ in false }
            try expect(snapshots.isOver, "the stream went on after stop")
        }
        try await expectOver(subject, "a stream that was asked for after stop")
    }

    func stopBeforeUse(_ subject: Subject) async throws {
        await subject.source.stop()
        try await expectOver(subject, "a stream that was asked for after stop")
    }

    private func expectOver(_ subject: Subject, _ what: String) async throws {
        let patience = patience
        _ = try await subject.source.snapshots().observed { snapshots in
            _ = await snapshots.wait(atMost: patience) { _ in false }
            try expect(snapshots.isOver, "\(what) did not end")
        }
    }

    /// Runs `body` after the first snapshot has arrived, and returns all snapshots.
    private func observe(
        _ subject: Subject, _ body: (Observed<Conditions>) async throws -> Void
    ) async throws -> [Conditions] {
        try await subject.source.snapshots().observed { snapshots in
            let isThere = await snapshots.wait(atMost: min(Self.firstLimit, patience)) { !$0.isEmpty }
            try expect(isThere, "no snapshot came within two seconds")
            try await body(snapshots)
        }
    }

    private func awaitTold(_ snapshots: Observed<Conditions>, _ expected: Conditions, _ what: String) async throws {
        let came = await snapshots.wait(atMost: patience) { $0.last == expected }
        try expect(came, "\(what) was not told; the last snapshot is \(snapshots.elements.last as Any)")
    }
}
