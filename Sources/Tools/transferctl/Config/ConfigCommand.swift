// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy

/// The `transferctl config` command, which groups the commands about the daemon's configuration.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show, check, and try the daemon's configuration, and list the policies.",
        subcommands: [ConfigShow.self, ConfigCheck.self, ConfigTry.self, ConfigPolicies.self],
        defaultSubcommand: ConfigShow.self)
}

/// The `transferctl config show` command, which shows the policy in force or the keys of the configuration.
struct ConfigShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the current policy: that of the running daemon, or otherwise of the configuration file.")

    @Flag(help: "Print every key with its meaning, unit, and default, in the format of the file.")
    var defaults = false

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        if defaults { return Self.printKeys(json: json) }
        let path = try DaemonConfiguration.defaultPath()
        let running = await DaemonConnection.ifRunning(bus: daemon.bus) { try await $0.status().policy } ?? nil
        let isRunning = running != nil
        let name = try running ?? DaemonConfiguration(path: path, isNamed: false).policy
        if json {
            return JSONLine.print([
                "policy": name, "rule": Self.rule(of: name), "from": isRunning ? "daemon" : "configuration",
                "configuration": path,
            ])
        }
        Console.print(name)
        Console.print(Self.rule(of: name))
        let isWritten = FileManager.default.fileExists(atPath: path)
        Console.error(
            isRunning
                ? "reported by the daemon"
                : "the daemon is not running; \(isWritten ? "read from \(path)" : "the default, as there is no \(path)")"
        )
    }

    /// Returns what discretionary transfers wait for under a policy, in a sentence.
    static func rule(of policy: String) -> String {
        let typed = String(policy.prefix { $0 != ":" })
        let name = typed == "default" ? Patience.balanced.rawValue : typed
        let wait = PolicyCatalog.entries.first { $0.name == name }?.summary ?? name
        return "Discretionary transfers wait for \(wait)."
    }

    private static func printKeys(json: Bool) {
        let keys = DaemonConfiguration.keys
        if json {
            return JSONLine.print([
                "keys": keys.map { key -> [String: Any] in
                    [
                        "name": key.name, "default": key.defaultValue ?? NSNull(), "unit": key.unit,
                        "meaning": key.meaning,
                    ]
                }
            ])
        }
        for line in keys.flatMap(\.lines) { Console.print(line) }
    }
}

/// The `transferctl config check` command, which validates a configuration.
struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration file and report all errors with their lines and columns.",
        discussion: "Exit status: 0 valid, 2 invalid.")

    @Argument(
        help: ArgumentHelp("The configuration file (default: that of the daemon).", valueName: "file"),
        completion: .file())
    var file: String?

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let path = try file.map(PathName.absolute) ?? DaemonConfiguration.defaultPath()
        let configuration: DaemonConfiguration
        do {
            configuration = try DaemonConfiguration(path: path, isNamed: file != nil)
        } catch let error as UsageError where json {
            let errors = error.description.split(separator: "\n").map(String.init)
            JSONLine.print(["valid": false, "error": error.description, "errors": errors])
            throw ExitStatus.usage.code
        }
        if json { return JSONLine.print(["valid": true, "policy": configuration.policy]) }
        Console.print("\(path) is valid; the policy is '\(configuration.policy)'")
    }
}
