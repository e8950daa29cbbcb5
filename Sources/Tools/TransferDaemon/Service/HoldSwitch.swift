// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
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

    private let conditions: AdjustedConditions
    private let alarm: any Alarm
    private let file: HoldFile
    private let onChange: @Sendable (Fact<MachineHold?>) -> Void
    private let state: Mutex<State>

    /// Creates a source with the stored hold. An expired hold is ignored.
    ///
    /// - Parameters:
    ///   - file: The file that stores the hold.
    ///   - onChange: Called after each change of the hold.
    init(
        base: any ConditionSource, alarm: any Alarm, file: HoldFile,
        onChange: @escaping @Sendable (Fact<MachineHold?>) -> Void
    ) {
        self.alarm = alarm
        self.file = file
        self.onChange = onChange
        let hold = file.hold(at: alarm.now())
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
        if let hold {
            try DurableFile.write(HoldFile.contents(hold, since: now.wall), to: file.path)
        } else if FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(atPath: file.path)
            DurableFile.syncFolder(of: file.path)
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
