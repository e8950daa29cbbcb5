// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
package import TransferEngine
package import TransferModel

/// The conditions of another source with the hold that the daemon's user has set, for a process without a daemon.
package final class HeldConditions: ConditionSource {
    private let conditions: AdjustedConditions
    private let change: AsyncStream<Void>.Continuation
    private let watch: FolderWatch?

    /// Creates a source that follows the file of the hold.
    package init(_ base: any ConditionSource, _ file: HoldFile, alarm: any Alarm) {
        let conditions = AdjustedConditions(base) { [hold = file.hold(at: alarm.now())] in $0.hold = hold }
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.conditions, self.change) = (conditions, change)
        let url = URL(fileURLWithPath: file.path)
        watch = FolderWatch(folder: url.deletingLastPathComponent().path, name: url.lastPathComponent) {
            change.yield()
        }
        Task {
            var end: Task<Void, Never>?
            for await _ in changes {
                let hold = file.hold(at: alarm.now())
                conditions.adjust { $0.hold = hold }
                end?.cancel()
                end = hold.value?.until.map { until in
                    Task {
                        // Checked each hour, because setting the wall clock changes the time that is left.
                        let left = min(alarm.now().wall.duration(to: until), .seconds(3600))
                        if (try? await Task.sleep(for: max(.zero, left))) != nil { change.yield() }
                    }
                }
            }
            end?.cancel()
        }
        change.yield()
    }

    package func snapshots() -> AsyncStream<Conditions> { conditions.snapshots() }

    package func readyToSleep() { conditions.readyToSleep() }

    package func stop() async {
        change.finish()
        await conditions.stop()
    }
}
