// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel

extension AlarmContract {
    func clockAdvances(_ subject: Subject) async throws {
        let start = subject.alarm.now().instant
        var last = start
        for _ in 0..<4 {
            for _ in 0..<1000 {
                let now = subject.alarm.now().instant
                try expect(now >= last, "the clock went back from \(last) to \(now)")
                last = now
            }
            try await subject.pass(unit)
        }
        let end = subject.alarm.now().instant
        try expect(end >= last, "the clock went back from \(last) to \(end)")
        try expect(end > start, "the clock stayed at \(start) while time passed")
    }

    func bootIsNamed(_ subject: Subject) async throws {
        let name = subject.alarm.boot
        try expect(!name.isEmpty, "the boot has no name")
        try await subject.pass(unit)
        let later = subject.alarm.boot
        try expect(later == name, "the boot was named \(name), then \(later)")
    }

    func silentWhenUnset(_ subject: Subject) async throws {
        let reported = try await subject.alarm.signals().observed { _ in try await subject.pass(unit * 4) }
        try expectRings(reported, 0, "nothing was set")
    }

    func ringsOnce(_ subject: Subject) async throws {
        let due = later(subject, by: 2)
        let reported = try await subject.alarm.signals().observed { signals in
            subject.alarm.set(due)
            try await subject.pass(unit * 4)
            try await awaitRings(signals, 1, "the instant had come")
            let now = subject.alarm.now().instant
            try expect(now >= due, "the alarm rang at \(now), before \(due)")
            try await subject.pass(unit * 4)
        }
        try expectRings(reported, 1, "one instant was set")
    }

    func notBefore(_ subject: Subject, _ attempt: Int) async throws -> Bool {
        // The distance doubles with each attempt, because a stalled machine may exceed several shorter distances.
        let due = later(subject, by: 4 << attempt)
        let reported = try await subject.alarm.signals().observed { _ in
            subject.alarm.set(due)
            try await subject.pass(unit * 2)
        }
        guard subject.alarm.now().instant < due else { return false }
        try expectRings(reported, 0, "the instant had not come")
        return true
    }

    func setReplaces(_ subject: Subject) async throws -> Bool {
        var isConclusive = false
        let earlier = try await subject.alarm.signals().observed { signals in
            subject.alarm.set(later(subject, by: 100_000))
            subject.alarm.set(later(subject, by: 2))
            try await subject.pass(unit * 4)
            try await awaitRings(signals, 1, "an early instant had replaced a late instant")
        }
        try expectRings(earlier, 1, "an early instant had replaced a late instant")
        let reported = try await subject.alarm.signals().observed { _ in
            let due = later(subject, by: 2)
            subject.alarm.set(due)
            subject.alarm.set(later(subject, by: 100_000))
            isConclusive = subject.alarm.now().instant < due
            try await subject.pass(unit * 4)
        }
        guard isConclusive else { return false }
        try expectRings(reported, 0, "a late instant had replaced an early instant")
        return true
    }

    func nilClears(_ subject: Subject) async throws -> Bool {
        var isConclusive = false
        let reported = try await subject.alarm.signals().observed { _ in
            let due = later(subject, by: 2)
            subject.alarm.set(due)
            subject.alarm.set(nil)
            isConclusive = subject.alarm.now().instant < due
            try await subject.pass(unit * 4)
        }
        guard isConclusive else { return false }
        try expectRings(reported, 0, "nil had canceled the instant")
        return true
    }

    func pastRingsImmediately(_ subject: Subject) async throws {
        let now = subject.alarm.now().instant
        let past = [
            now, now.advanced(by: .nanoseconds(-1)), .zero, Instant(nanoseconds: -5), Instant(nanoseconds: .min),
        ]
        for instant in past {
            let reported = try await subject.alarm.signals().observed { signals in
                subject.alarm.set(instant)
                // No time has to pass before the ring, because the instant is already past.
                try await awaitRings(signals, 1, "\(instant) was past")
                try await subject.pass(unit)
            }
            try expectRings(reported, 1, "\(instant) was set once")
        }
    }

    func ringsAgain(_ subject: Subject) async throws {
        let reported = try await subject.alarm.signals().observed { signals in
            for count in 1...3 {
                subject.alarm.set(later(subject, by: 1))
                try await subject.pass(unit * 2)
                try await awaitRings(signals, count, "the alarm had been set \(count) times, each after a ring")
            }
        }
        try expectRings(reported, 3, "the alarm had been set three times")
    }

    private func later(_ subject: Subject, by units: Int) -> Instant {
        subject.alarm.now().instant.advanced(by: unit * units)
    }

    private func awaitRings(_ signals: Observed<AlarmSignal>, _ count: Int, _ why: String) async throws {
        let came = await signals.wait(atMost: timeout) { $0.count { $0 == .rang } >= count }
        try expect(came, "\(why), but the alarm rang \(signals.elements.count { $0 == .rang }) times, not \(count)")
    }

    /// Checks the number of rings. Changes of the wall clock are ignored, because the machine may set it at any time.
    private func expectRings(_ reported: [AlarmSignal], _ count: Int, _ why: String) throws {
        try expectEqual(reported.count { $0 == .rang }, count, "rings after \(why)")
    }
}
