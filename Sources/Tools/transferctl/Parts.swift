// SPDX-License-Identifier: Apache-2.0
import LinuxClock
import LinuxConditions
import TransferPolicy

/// Puts adapters together for the commands that need them.
enum Parts {
    /// The machine's clocks.
    ///
    /// - Throws: `UsageError` where the kernel gives no timers.
    static func alarm() throws -> LinuxAlarm {
        do {
            return try LinuxAlarm()
        } catch {
            throw UsageError("no timer can be had from the kernel: \(error)")
        }
    }

    /// What the machine is like, from the real services.
    static func conditions(sysfsRoot: String, alarm: LinuxAlarm) -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.sysfsRoot = sysfsRoot
        configuration.localTime = LocalTimeRules(current: alarm.now().wall)
        return LinuxConditions(configuration: configuration, now: { alarm.now() })
    }
}
