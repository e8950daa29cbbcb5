// SPDX-License-Identifier: Apache-2.0

import TransferModel
import TransferPolicy

/// The random values for the examination of policies with tables.
extension PolicyGenerator {
    /// Returns a subject that does not run.
    mutating func waitingSubject() -> PolicySubject {
        var subject = subject()
        subject.isRunning = false
        subject.start = nil
        // The size and the rate put the last chance within days of the deadline.
        if chance(50) {
            subject.bytesTotal = Int64(roll(0...50_000_000))
            subject.bytesDone = Int64(roll(0...1_000_000))
            subject.rate = Int64(roll(100...5000))
        }
        return subject
    }

    /// Moves both clocks and the observations to a time between the submission and shortly after the deadline.
    mutating func bringNear(_ context: inout PolicyContext, to subject: PolicySubject) {
        let start = subject.traits.submitted
        let end = subject.traits.constraints.deadline?.date ?? start.advanced(by: .seconds(7200))
        let span = max(0, start.duration(to: end).wholeNanoseconds)
        let gone = Duration.nanoseconds(span) / 100 * roll(0...105)
        context.now.wall = start.advanced(by: gone)
    }

    /// Returns dates from `start` until before `end`, if there is an end: next to both bounds, and in between.
    mutating func dates(from start: WallTime, before end: WallTime?) -> [WallTime] {
        let last = end?.advanced(by: .nanoseconds(-1)) ?? WallTime(nanosecondsSinceEpoch: .max)
        guard last > start else { return [] }
        let between = Int64.random(in: start.nanosecondsSinceEpoch...last.nanosecondsSinceEpoch, using: &generator)
        let soon = start.advanced(by: .seconds(roll(1...100_000)))
        return [start.advanced(by: .nanoseconds(1)), WallTime(nanosecondsSinceEpoch: between), min(soon, last), last]
    }

    /// Returns the context at later times before `end`, if there is an end. Both clocks can represent all of these
    /// times.
    mutating func laterContexts(than context: PolicyContext, before end: Instant?) -> [PolicyContext] {
        let now = context.now
        let room = min(
            now.instant.duration(to: end?.advanced(by: .nanoseconds(-1)) ?? .distantFuture).wholeNanoseconds,
            now.wall.duration(to: WallTime(nanosecondsSinceEpoch: .max)).wholeNanoseconds)
        guard room > 0 else { return [] }
        return [
            1, room, Int64.random(in: 1...room, using: &generator), min(room, Int64(roll(1...100_000)) * 1_000_000_000),
        ]
        .map { step in
            var later = context
            later.now = now.advanced(by: .nanoseconds(step))
            return later
        }
    }

    /// Returns another subject of the same kind with the same constraints except dates, of which only the presence of a deadline is the same. It is equally near to this
    /// machine.
    mutating func another(like subject: PolicySubject) -> PolicySubject {
        var other = waitingSubject()
        var constraints = subject.traits.constraints
        // A phase has a meaning for subjects with a deadline, or for subjects without.
        constraints.deadline = constraints.deadline.map { other.traits.constraints.deadline ?? $0 }
        constraints.notBefore = other.traits.constraints.notBefore
        other.traits.constraints = constraints
        other.traits.kind = subject.traits.kind
        other.traits.isLoopback = subject.traits.isLoopback
        other.traits.priority = roll(0...1000)
        return other
    }

    /// Returns the same values with other sources and other times.
    mutating func sameValues(as conditions: Conditions, at now: ClockReading) -> Conditions {
        var other = conditions
        func change<Value>(_ fact: inout Fact<Value>) {
            fact.source = pick([
                .upower, .sysfs, .kernel, .networkManager, .assumption, .none, FactSource(named: "an own source"),
            ])
            fact.confidence = pick(Confidence.allCases)
            fact.since = now.advanced(by: .seconds(-roll(0...100_000)))
            fact.isObservedChange = chance(50)
        }
        change(&other.power)
        change(&other.battery)
        change(&other.network)
        change(&other.linkKind)
        change(&other.metered)
        change(&other.connection)
        change(&other.sleep)
        other.disagreements = chance(50) ? [] : ["UPower says battery, sysfs says AC"]
        return other
    }
}
