// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import LinuxKernel
import Logging
import ServiceLifecycle
import ToolSupport
import TransferBusServer

/// The `transferd` program: one process for each user, on the session bus.
struct TransferdCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "transferd",
        abstract: "Runs background transfers as the service org.transferd on the session bus.",
        discussion: """
            Runs in the foreground and logs to standard error. On SIGTERM, saves the state of running transfers and exits \
            with status 0. On SIGHUP, reloads the configuration; an invalid configuration is logged and ignored. After \
            'transferctl service install', systemd and the bus start the daemon on demand.
            """, version: version)

    @Option(help: .init("The configuration file (default: $XDG_CONFIG_HOME/transferd/config.toml).", valueName: "file"))
    var config: String?

    @Option(help: .init("The folder of the queue (default: $XDG_STATE_HOME/transferd).", valueName: "dir"))
    var stateDir: String?

    @Option(help: .init("The address of the bus (default: the session bus).", valueName: "address"))
    var bus: String?

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .hidden))
    var sysfsRoot = "/sys"

    func run() async throws {
        guard let address = bus ?? BusConnection.sessionBusAddress() else {
            throw UsageError("no session bus found: set DBUS_SESSION_BUS_ADDRESS, or specify a bus with --bus")
        }
        let path = try config.map(PathName.absolute) ?? DaemonConfiguration.defaultPath()
        let configuration = try DaemonConfiguration(path: path, isNamed: config != nil)
        try AdapterFactory.checkOverrides()
        let state = try StateFolder.path(option: stateDir)
        try PrivateFolder.make(state)
        let lock = try StateLock(folder: state)
        defer { withExtendedLifetime(lock) {} }
        let logger = Logger(label: "transferd") { label in
            guard JournalLogHandler.isWanted else {
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = configuration.logLevel
                return handler
            }
            return JournalLogHandler(logLevel: configuration.logLevel)
        }
        let daemon = try await Daemon(
            configuration: configuration, configurationPath: path, isConfigurationNamed: config != nil, state: state,
            sysfsRoot: sysfsRoot, logger: logger)
        try await daemon.run(bus: address)
    }
}

@main
enum Program {
    static func main() async {
        MemoryPools.limit(to: 2)
        signal(SIGPIPE, SIG_IGN)
        do {
            let command = try TransferdCommand.parse()
            try await command.run()
        } catch let error as UsageError {
            write("transferd: \(error)")
            exit(2)
        } catch let error as BusServerError {
            write("transferd: \(error)")
            exit(error.end == .nameTaken ? 2 : 3)
        } catch {
            let code = TransferdCommand.exitCode(for: error)
            guard code == .success || code == .validationFailure else {
                write("transferd: \(error)")
                exit(1)
            }
            write(TransferdCommand.fullMessage(for: error), to: code == .success ? 1 : 2)
            exit(code == .success ? 0 : 2)
        }
    }

    private static func write(_ text: String, to descriptor: Int32 = 2) {
        let handle = FileHandle(fileDescriptor: descriptor)
        try? handle.write(contentsOf: Data((text + "\n").utf8))
    }
}
