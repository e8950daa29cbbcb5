// SPDX-License-Identifier: Apache-2.0
import CommandRunner
import Foundation
import ToolSupport

/// The installation of the machine's service that publishes conditions.
struct ConditionsInstall {
    private static let unit = GatedUnit(ConditionUnits.service, isUser: false)
    private static let packagedUnit = "/usr/lib/systemd/system/" + ConditionUnits.service

    /// The path of `transferd`.
    let program: String

    /// A Boolean value that indicates whether a package has installed the unit files for the program.
    private var isPackaged: Bool {
        let text = try? String(contentsOfFile: Self.packagedUnit, encoding: .utf8)
        return text?.contains("ExecStart=\(program) ") == true
    }

    /// Writes the files unless a package has written them, and makes systemd start the service now and at each boot.
    ///
    /// - Throws: `UsageError` if a file cannot be written, or if systemd refuses.
    func install() throws {
        guard getuid() == 0 else { throw UsageError("--system changes the machine; use sudo") }
        if !isPackaged {
            for (path, text) in ConditionUnits.administrators.files(program: program) {
                try ServiceWriter.write(text, to: path)
                Console.printPath(path)
            }
        }
        // The user exists before the bus reads its policy. Without systemd-sysusers, the user is dynamic, and only the bus
        // refuses the name.
        ServiceWriter.runFromPath(["systemd-sysusers"])
        ServiceWriter.runFromPath([
            "dbus-send", "--system", "--type=method_call", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.ReloadConfig",
        ])
        try Self.unit.perform("daemon-reload")
        try Self.unit.perform("enable", Self.unit.name)
        try Self.unit.perform("restart", Self.unit.name)
        Console.error("\(Self.unit.name) runs. To see the targets: systemctl list-units 'transfer-*'")
    }

    /// Stops the service, and removes the files that ``install()`` has written.
    ///
    /// - Throws: `UsageError` if a file cannot be removed.
    func uninstall() throws {
        guard getuid() == 0 else { throw UsageError("--system changes the machine; use sudo") }
        ServiceWriter.runFromPath(["systemctl", "disable", "--now", Self.unit.name])
        try ServiceWriter.remove(ConditionUnits.administrators.paths)
        try Self.unit.perform("daemon-reload")
    }
}
