// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import ToolSupport
import TransferEngine
import TransferModel

/// A source of conditions that adds the user's hold on everything to another source. The hold outlives the daemon.
final class HoldSwitch: ConditionSource {
    private struct State {
        var hold: Fact<MachineHold?>
        /// The task that releases the hold when it expires.
        var timer: Task<Void, Never>?
    }

    /// The stored form of a hold.
    private struct Record: Codable {
        private enum CodingKeys: String, CodingKey {
            case holder = "holder"
            case why = "why"
            case since = "since"
            case until = "until"
        }

        var holder: String
        var why: String
        var since: WallTime
        var until: WallTime?
    }

    private let conditions: AdjustedConditions
    private let alarm: any Alarm
    private let path: String
    private let onChange: @Sendable (Fact<MachineHold?>) -> Void
    private let state: Mutex<State>

    /// Creates a source with the stored hold. An expired hold is ignored.
    ///
    /// - Parameters:
    ///   - path: The file that stores the hold.
    ///   - onChange: Called after each change of the hold.
    init(
        base: any ConditionSource, alarm: any Alarm, path: String,
        onChange: @escaping @Sendable (Fact<MachineHold?>) -> Void
    ) {
        self.alarm = alarm
        self.path = path
        self.onChange = onChange
        let now = alarm.now()
        var hold = Fact<MachineHold?>(nil, source: .user, since: now)
        if let data = FileManager.default.contents(atPath: path),
            let record = try? JSONDecoder().decode(Record.self, from: data), record.until.map({ $0 > now.wall }) ?? true
        {
            // Earlier versions stored this text if no reason was given.
            let why = record.why == "no reason was given" ? "" : record.why
            hold = Fact(
                MachineHold(by: record.holder, why: why, until: record.until), source: .user,
                since: ClockReading(instant: now.instant(of: record.since), wall: record.since))
        }
        conditions = AdjustedConditions(base) { [hold] in $0.hold = hold }
        state = Mutex(State(hold: hold))
        awaitEnd(of: hold.value)
    }

    /// The hold in force.
    var hold: Fact<MachineHold?> { state.withLock { $0.hold } }

    /// Sets or releases the hold. Returns after the file has been written or removed.
    ///
    /// - Throws: An error if the file cannot be written. The hold has not changed then.
    func set(_ hold: MachineHold?) throws {
        let now = alarm.now()
        let record = hold.map { Record(holder: $0.holder, why: $0.why, since: now.wall, until: $0.until) }
        if let record {
            try DurableFile.write(JSONEncoder().encode(record), to: path)
        } else if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.removeItem(atPath: path)
            DurableFile.syncFolder(of: path)
        }
        let fact = Fact(hold, source: .user, since: now)
        state.withLock { $0.hold = fact }
        conditions.adjust { $0.hold = fact }
        awaitEnd(of: hold)
        onChange(fact)
    }

    private func awaitEnd(of hold: MachineHold?) {
        let timer = hold?.until.map { until in
            Task { [weak self] in
                // Check again each hour, because setting the wall clock changes the time that is left.
                while let self, let left = self.timeLeft(until) {
                    guard (try? await Task.sleep(for: min(left, .seconds(3600)))) != nil else { return }
                }
                guard !Task.isCancelled, let self, self.hold.value?.until == until else { return }
                try? self.set(nil)
            }
        }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }

    private func timeLeft(_ until: WallTime) -> Duration? {
        let left = alarm.now().wall.duration(to: until)
        return left > .zero ? left : nil
    }

    // MARK: ConditionSource

    func snapshots() -> AsyncStream<Conditions> { conditions.snapshots() }

    func readyToSleep() { conditions.readyToSleep() }

    func stop() async {
        state.withLock { $0.timer?.cancel() }
        await conditions.stop()
    }
}

/// A stream that carries changes of the hold to the bus.
final class HoldWatch: Sendable {
    let changes: AsyncStream<Fact<MachineHold?>>
    private let continuation: AsyncStream<Fact<MachineHold?>>.Continuation

    init() { (changes, continuation) = AsyncStream.makeStream() }

    func report(_ hold: Fact<MachineHold?>) { continuation.yield(hold) }
}
