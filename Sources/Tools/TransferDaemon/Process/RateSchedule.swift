// SPDX-License-Identifier: Apache-2.0
import LinuxClock
import Synchronization
import ToolSupport
import TransferEngine
import TransferFiles
import TransferModel

/// Applies the rate limits of the configuration, also to running transfers, and changes them when a window opens or closes.
final class RateSchedule: Sendable {
    private let alarm: any Alarm
    private let apply: @Sendable (RateLimits) -> Void
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates a schedule. `apply` receives each new limit.
    init(alarm: any Alarm, _ apply: @escaping @Sendable (RateLimits) -> Void) {
        (self.alarm, self.apply) = (alarm, apply)
    }

    deinit { task.withLock { $0?.cancel() } }

    /// Replaces the configuration. Without windows, nothing runs afterwards.
    func configure(_ configuration: DaemonConfiguration) {
        task.withLock { task in
            task?.cancel()
            task = schedule(configuration, after: task)
        }
    }

    /// Starts to follow the windows, after an earlier configuration was given up, so that its limits do not come last.
    private func schedule(_ configuration: DaemonConfiguration, after earlier: Task<Void, Never>?) -> Task<Void, Never>
    {
        Task { [alarm, apply] in
            await earlier?.value
            await alarm.repeatedly { now in
                let (rate, end) = configuration.rateWindows.rate(
                    at: now, localTime: LocalTimeRules(current: now.wall))
                var limits = configuration.limits
                limits.global = rate ?? limits.global
                apply(limits)
                return end
            }
        }
    }
}
