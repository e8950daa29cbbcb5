// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxClock
package import LinuxConditions
internal import TransferModel

/// A factory for the adapters that commands need.
package enum AdapterFactory {
    /// Returns the machine's clocks.
    ///
    /// - Throws: `UsageError` if the kernel provides no timers.
    package static func alarm() throws -> LinuxAlarm {
        do {
            return try LinuxAlarm()
        } catch {
            throw UsageError("cannot create a kernel timer: \(error)")
        }
    }

    /// Returns the folder for the user's configuration of these programs.
    ///
    /// - Throws: `UsageError` if no environment variable specifies a folder for the configuration.
    package static func configurationFolder() throws -> String {
        try BaseFolder.config.path(for: "the configuration folder") + "/transferd"
    }

    /// Returns the path of the file with the user's connection overrides.
    ///
    /// - Throws: `UsageError` if no environment variable specifies a folder for the configuration.
    package static func overridesPath() throws -> String {
        try configurationFolder() + "/overrides.toml"
    }

    /// Validates the file of connection overrides. Ignoring an invalid file might cost the user money. Without a folder
    /// for it, there is no such file.
    ///
    /// - Throws: `UsageError` that names the file, the line and the error.
    package static func checkOverrides() throws {
        guard let path = try? overridesPath() else { return }
        do {
            _ = try OverridesFile(path: path).read()
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Returns a source of the machine's conditions that reads the real services.
    ///
    /// - Parameters:
    ///   - sysfsRoot: The folder to read power supplies from, usually `/sys`.
    ///   - alarm: The clocks for the timestamps of conditions.
    ///   - delaysSleep: Whether sleep is delayed until transfers are stopped and saved.
    ///   - adjust: A closure that changes the configuration before it is used.
    package static func conditions(
        sysfsRoot: String, alarm: LinuxAlarm, delaysSleep: Bool,
        adjust: (inout LinuxConditionsConfiguration) -> Void = { _ in }
    ) -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.sysfsRoot = sysfsRoot
        configuration.overridesFile = try? overridesPath()
        if !delaysSleep { configuration.sleepDelay = nil }
        configuration.followsPipes = false
        configuration.localTime = LocalTimeRules(systemZoneIn: "/etc/localtime")
        configuration.watchLocalTime = { LocalTimeWatch(onChange: $0) }
        adjust(&configuration)
        return LinuxConditions(configuration: configuration, now: { alarm.now() })
    }
}
