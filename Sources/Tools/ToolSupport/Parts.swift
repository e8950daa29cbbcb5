// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxClock
package import LinuxConditions
import TransferPolicy

/// Puts adapters together for the commands that need them.
package enum Parts {
    /// The machine's clocks.
    ///
    /// - Throws: `UsageError` where the kernel gives no timers.
    package static func alarm() throws -> LinuxAlarm {
        do {
            return try LinuxAlarm()
        } catch {
            throw UsageError("no timer can be had from the kernel: \(error)")
        }
    }

    /// Where a person's words on connections are kept: below `$XDG_CONFIG_HOME`, else `~/.config` (XDG Base Directory
    /// Specification 0.8).
    ///
    /// - Throws: `UsageError` where the environment names neither.
    package static func overridesPath() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        // The specification has relative paths in these variables ignored.
        let named = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        guard let folder = named ?? home else {
            throw UsageError("neither XDG_CONFIG_HOME nor HOME names a folder for the configuration")
        }
        return folder + "/transferd/overrides.toml"
    }

    /// Refuses to go on with a person's words that cannot be understood: what they meant might cost them.
    ///
    /// - Throws: `UsageError` that names the file, the line and what is wrong there.
    package static func checkOverrides() throws {
        do {
            _ = try OverridesFile(path: try overridesPath()).read()
        } catch let error as OverridesFileError {
            throw UsageError("\(error)")
        }
    }

    /// What the machine is like, from the real services.
    ///
    /// - Parameters:
    ///   - delaysSleep: whether sleep is to wait until transfers are stopped and saved.
    ///   - adjust: changes the configuration before it is used.
    /// - Throws: `UsageError` where the environment names no folder for the configuration.
    package static func conditions(
        sysfsRoot: String, alarm: LinuxAlarm, delaysSleep: Bool,
        adjust: (inout LinuxConditionsConfiguration) -> Void = { _ in }
    ) throws -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.sysfsRoot = sysfsRoot
        configuration.overridesFile = try overridesPath()
        if !delaysSleep { configuration.sleepDelay = nil }
        configuration.localTime = LocalTimeRules(systemZoneIn: "/etc/localtime")
        configuration.watchLocalTime = { LocalTimeWatch(onChange: $0) }
        adjust(&configuration)
        return LinuxConditions(configuration: configuration, now: { alarm.now() })
    }
}
