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
    ///
    /// - Parameter delaysSleep: whether sleep is to wait until transfers are stopped and saved.
    static func conditions(sysfsRoot: String, alarm: LinuxAlarm, delaysSleep: Bool) -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.sysfsRoot = sysfsRoot
        if !delaysSleep { configuration.sleepDelay = nil }
        configuration.localTime = LocalTimeRules(systemZoneIn: "/etc/localtime")
        configuration.watchLocalTime = { LocalTimeWatch(onChange: $0) }
        return LinuxConditions(configuration: configuration, now: { alarm.now() })
    }
}
