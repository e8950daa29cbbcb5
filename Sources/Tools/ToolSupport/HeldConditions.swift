// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import Synchronization
package import TransferEngine
package import TransferModel

/// The conditions of another source with the hold that the user has set, which is followed in its file and ends at its
/// time.
package final class HeldConditions: ConditionSource {
    private struct State {
        var hold: Fact<MachineHold?>
        var watch: FolderWatch?
        /// The task that reads the file again when the hold ends.
        var end: Task<Void, Never>?
    }

    /// The file of the hold.
    package let file: HoldFile
    package let alarm: any Alarm
    private let conditions: AdjustedConditions
    private let onChange: @Sendable (Fact<MachineHold?>) -> Void
    private let state: Mutex<State>

    /// Creates a source with the hold in the file. `onChange` is called after each change of the hold.
    package init(
        _ base: any ConditionSource, _ file: HoldFile, alarm: any Alarm,
        onChange: @escaping @Sendable (Fact<MachineHold?>) -> Void = { _ in }
    ) {
        (self.file, self.alarm, self.onChange) = (file, alarm, onChange)
        let hold = file.hold(at: alarm.now())
        conditions = AdjustedConditions(base) { $0.hold = hold }
        state = Mutex(State(hold: hold))
        let url = URL(fileURLWithPath: file.path)
        let watch = FolderWatch(folder: url.deletingLastPathComponent().path, name: url.lastPathComponent) {
            [weak self] in self?.reload()
        }
        state.withLock { $0.watch = watch }
        reload()
    }

    /// The hold in force.
    package var hold: Fact<MachineHold?> { state.withLock { $0.hold } }

    /// Reads the file again. The hold in the file is in force when this method returns.
    package func reload() {
        let look: @Sendable (ClockReading) -> Instant? = { [weak self] in self?.read(at: $0) }
        let end = look(alarm.now()).map { _ in Task { [alarm] in await alarm.repeatedly(look) } }
        state.withLock { state in
            state.end?.cancel()
            state.end = end
        }
    }

    /// Reads the file, and returns the end of the hold.
    @Sendable private func read(at now: ClockReading) -> Instant? {
        state.withLock { state in
            let hold = file.hold(at: now)
            if hold.value != state.hold.value || hold.value != nil && hold.since.wall != state.hold.since.wall {
                state.hold = hold
                conditions.adjust { $0.hold = hold }
                onChange(hold)
            }
            return hold.value?.until.map(now.instant(of:))
        }
    }

    package func snapshots() -> AsyncStream<Conditions> { conditions.snapshots() }

    package func readyToSleep() { conditions.readyToSleep() }

    package func stop() async {
        state.withLock { state in
            state.end?.cancel()
            state.watch = nil
        }
        await conditions.stop()
    }
}
