// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxClock
package import LinuxConditions
internal import TransferModel

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

    /// Where what a person has written for these programs is kept.
    ///
    /// - Throws: `UsageError` where the environment names no folder for it.
    package static func configurationFolder() throws -> String {
        try BaseFolder.config.path(for: "a folder for the configuration") + "/transferd"
    }

    /// Where a person's words on connections are kept.
    ///
    /// - Throws: `UsageError` where the environment names no folder for it.
    package static func overridesPath() throws -> String {
        try configurationFolder() + "/overrides.toml"
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
