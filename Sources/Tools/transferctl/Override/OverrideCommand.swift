// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import LinuxConditions
import LinuxKernel
import ToolSupport

/// The `transferctl override` command, which marks a connection as metered or unmetered.
struct OverrideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "override",
        abstract: "Mark a connection as metered or unmetered, regardless of what the system reports.",
        discussion: """
            CONNECTION is the name that 'transferctl conditions' shows: the profile or SSID, or the interface if no service \
            names connections. yes: metered; no: unmetered; auto: remove the override. Without arguments, the command lists \
            all overrides. With --json: one object with overrides (a list of connection, metered) and file.

            The overrides are stored in $XDG_CONFIG_HOME/transferd/overrides.toml (default: ~/.config), which you can edit. \
            Running commands and the daemon apply changes immediately.
            """)

    /// The values of an override.
    enum Setting: String, CaseIterable {
        case yes, no, auto
    }

    @Argument(
        help: "The name of the connection.",
        completion: .custom { _, _, _ in
            let overrides = (try? OverridesFile(path: AdapterFactory.overridesPath()).read())?.settings.keys
            return ConnectionNames.current.completions(with: overrides.map(Array.init) ?? [], for: .requesting)
        })
    var connection: String?

    @Argument(
        help: "yes, no, or auto. The form metered=yes is also accepted.",
        completion: .list(Setting.allCases.map(\.rawValue)))
    var metered: String?

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() throws {
        let file = OverridesFile(path: try AdapterFactory.overridesPath())
        do {
            if let connection {
                let setting = try Self.setting(metered)
                try change(connection, to: setting, in: file)
                if setting != .auto, let advice = ConnectionNames.current.advice(about: connection) {
                    Console.error("transferctl: \(advice)".printable)
                }
                if !json { return }
            }
            list(try file.read(), file)
        } catch let error as OverridesFileError {
            throw UsageError("\(error)")
        }
    }

    /// Parses the value of an override.
    ///
    /// - Throws: `UsageError` if the value is missing or unknown.
    static func setting(_ text: String?) throws -> Setting {
        guard let text else {
            throw UsageError("missing value after the connection; use yes (metered), no (unmetered), or auto (remove)")
        }
        let key = "metered="
        guard let setting = Setting(rawValue: text.hasPrefix(key) ? String(text.dropFirst(key.count)) : text) else {
            throw UsageError("not a valid override: '\(text)'; use yes (metered), no (unmetered), or auto (remove)")
        }
        return setting
    }

    private func change(_ connection: String, to setting: Setting, in file: OverridesFile) throws {
        guard !connection.isEmpty else { throw UsageError("the connection's name is empty") }
        try PrivateFolder.make(
            String(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]),
            called: "the configuration folder",
            remedy: "set XDG_CONFIG_HOME to another folder")
        try file.change { overrides in
            overrides.settings[connection] =
                switch setting {
                case .yes: .yes
                case .no: .no
                case .auto: nil
                }
        }
    }

    private func list(_ overrides: ConnectionOverrides, _ file: OverridesFile) {
        let settings = overrides.settings.sorted { $0.key < $1.key }
        if json {
            let list = settings.map { ["connection": $0.key, "metered": $0.value.rawValue] }
            JSONLine.print(["overrides": list, "file": file.path])
        } else if settings.isEmpty {
            Console.error("No overrides.")
        } else {
            for (name, setting) in settings { Console.print("\(name.printable)  \(setting.rawValue)") }
        }
    }
}
