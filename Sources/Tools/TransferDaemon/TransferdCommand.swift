// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import LinuxKernel
import Logging
import ManualPages
import SQLiteStore
import ToolSupport
import TransferBusServer

/// The `transferd` program: one process for each user, on the session bus.
struct TransferdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transferd",
        abstract: "Runs background transfers as the service org.transferd on the session bus.",
        discussion: """
            Runs in the foreground and logs to standard error. On SIGTERM, saves the state of running transfers and exits \
            with status 0. On SIGHUP, reloads the configuration; an invalid configuration is logged and ignored. If its \
            file is replaced by an update, saves the state of running transfers and continues as the new program. After \
            'transferctl service install', systemd and the bus start the daemon on demand.
            """, version: "\(DaemonRelease.current.version)")

    @Option(help: .init("The configuration file (default: $XDG_CONFIG_HOME/transferd/config.toml).", valueName: "file"))
    var config: String?

    @Option(help: .init("The folder of the queue (default: $XDG_STATE_HOME/transferd).", valueName: "dir"))
    var stateDir: String?

    @Option(help: .init("The address of the bus (default: the session bus).", valueName: "address"))
    var bus: String?

    @Flag(help: "Print the manual page and exit. 'transferd --manual | man -l -' shows it.")
    var manual = false

    @Option(help: .init("Read power supplies below this folder instead of /sys.", visibility: .hidden))
    var sysfsRoot = "/sys"

    @Flag(
        help: .init(
            "Check that this program can use the configuration and the queue, print its version, and exit.",
            visibility: .hidden))
    var check = false

    @Flag(
        help: .init(
            "Only publish conditions: no queue and no transfers. 'transferctl service install' writes the units.",
            visibility: .hidden))
    var conditionsOnly = false

    @Option(help: .init("The folder for the files that say which conditions hold.", visibility: .hidden))
    var conditionsDir: String?

    /// Runs the daemon.
    ///
    /// - Parameter continuation: The state that an earlier program of this process left; `nil` at a start.
    func run(continuing continuation: Continuation?) async throws {
        if manual {
            try FileHandle.standardOutput.write(contentsOf: Data(ManualPage.transferd().text.utf8))
            return
        }
        if conditionsOnly { return try await publishConditions() }
        guard let address = bus ?? BusConnection.sessionBusAddress() else {
            throw UsageError("no session bus found: set DBUS_SESSION_BUS_ADDRESS, or specify a bus with --bus")
        }
        let path = try config.map(PathName.absolute) ?? DaemonConfiguration.defaultPath()
        let configuration = try DaemonConfiguration(path: path, isNamed: config != nil)
        try AdapterFactory.checkOverrides()
        let state = try StateFolder.path(option: stateDir)
        guard !check else { return try printVersion(checking: state) }
        try PrivateFolder.make(state)
        let lock = try StateLock(folder: state, continuing: continuation?.lock)
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
            bus: address, lock: lock, sysfsRoot: sysfsRoot, logger: logger)
        try await daemon.run(bus: address, continuing: continuation)
    }

    private func publishConditions() async throws {
        guard let folder = conditionsDir ?? ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"] else {
            throw UsageError("no folder for the files: systemd sets RUNTIME_DIRECTORY, or use --conditions-dir")
        }
        guard bus != "system" || BusConnection.systemBusAddress() != nil else {
            throw UsageError("no system bus found; set DBUS_SYSTEM_BUS_ADDRESS")
        }
        let logger = Logger(label: "transferd") { StreamLogHandler.standardError(label: $0) }
        try await ConditionsService(
            sysfsRoot: sysfsRoot, bus: bus == "system" ? BusConnection.systemBusAddress() : bus,
            folder: try PathName.absolute(folder), logger: logger
        ).run()
    }

    /// Prints the version, if this program can read the queue in the folder and finds its worker program.
    private func printVersion(checking state: String) throws {
        _ = try Daemon.workerProgram()
        do { try SQLiteStore.check(Daemon.storing(in: state)) } catch { throw UsageError("\(error)") }
        try FileHandle.standardOutput.write(contentsOf: Data("\(DaemonRelease.current.version)\n".utf8))
    }
}
