// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import LinuxKernel
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel
import WorkerExecutor

/// The `transferctl service` command, which makes systemd and the bus start the daemon for this user.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Have the daemon started when it is needed, or no longer; see how it stands.",
        subcommands: [ServiceInstall.self, ServiceUninstall.self, ServiceStatus.self, ServiceMetrics.self])
}

/// The files that describe the daemon to systemd and the bus.
struct ServiceFiles {
    /// The service file for the bus, which starts the daemon at the first call (D-Bus Specification, "Message Bus
    /// Starting Services").
    let activation: String
    /// The unit file for the user's systemd instance.
    let unit: String
    /// The manual page. man(1) finds the page if `PATH` has a folder beside it, or if MANPATH names it.
    let manual: String
    /// The completion script, which bash-completion loads at the first Tab.
    let completion: String

    /// The paths of all files.
    var all: [String] { [activation, unit, manual, completion] }

    /// Creates the paths below `$XDG_DATA_HOME` and `$XDG_CONFIG_HOME`.
    ///
    /// - Throws: `UsageError` if the environment names no folder.
    init() throws {
        activation =
            try BaseFolder.data.path(for: "a folder") + "/dbus-1/services/\(TransferBusName.service).service"
        unit = try BaseFolder.config.path(for: "a folder") + "/systemd/user/transferd.service"
        let data = try BaseFolder.data.path(for: "a folder")
        manual = data + "/man/man1/transferctl.1"
        completion = data + "/bash-completion/completions/transferctl"
    }

    /// Returns the service file for the bus. Without systemd, the bus runs `Exec`.
    static func activationText(program: String) -> String {
        """
        [D-BUS Service]
        Name=\(TransferBusName.service)
        Exec=\(program)
        SystemdService=transferd.service

        """
    }

    /// Returns the unit file for systemd (systemd.service(5)).
    ///
    /// No setting creates a mount namespace or implies `NoNewPrivileges=`. If apps cannot be services of their own,
    /// the daemon starts programs as children, which would inherit both. Most of `systemd-analyze security` is
    /// therefore out of reach.
    static func unitText(program: String) -> String {
        """
        [Unit]
        Description=Background transfers
        Documentation=man:transferctl(1)

        [Service]
        Type=dbus
        BusName=\(TransferBusName.service)
        ExecStart=\(program)
        ExecReload=/bin/kill -HUP $MAINPID
        Restart=on-failure
        WatchdogSec=300
        TimeoutStopSec=10
        Slice=background.slice
        UMask=0077
        MemoryMax=1G
        TasksMax=256
        OOMPolicy=continue
        LimitCORE=0

        [Install]
        WantedBy=default.target

        """
    }

    /// Makes the running managers reload the files. A manager that is not running reads the files when it starts.
    static func tellManagers() {
        for arguments in [
            ["systemctl", "--user", "daemon-reload"],
            [
                "dbus-send", "--session", "--type=method_call", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ReloadConfig",
            ],
        ] {
            var program = ChildProgram(
                "/usr/bin/env", ["env"] + arguments, environment: ProcessInfo.processInfo.environment)
            (program.output, program.errors) = (.null, .null)
            if let process = try? program.start() { _ = ChildProgram.collect(process) }
        }
    }
}

/// The `transferctl service install` command, which writes the service files.
struct ServiceInstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract:
            "Write the files by which the bus and systemd start the daemon, the manual page and bash's completion.",
        discussion: """
            The daemon is started by the first command that needs it. systemd ends it when you log out everywhere, and what \
            waits goes on at the next login; 'loginctl enable-linger' has it go on without a login.
            """)

    @Option(help: .init("The daemon (default: transferd beside this program).", valueName: "file"))
    var program: String?

    func run() throws {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/transferd"
        let program = try program.map(PathName.absolute) ?? beside
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw UsageError("\(program) is no program; name the daemon with --program")
        }
        guard !program.contains(where: { $0.isWhitespace || "\"'\\%$".contains($0) }) else {
            throw UsageError("\(program) has characters in its path that unit files do not take; put it elsewhere")
        }
        let files = try ServiceFiles()
        try Self.write(ServiceFiles.activationText(program: program), to: files.activation)
        try Self.write(ServiceFiles.unitText(program: program), to: files.unit)
        try Self.write(ManualPage.text(), to: files.manual)
        try Self.write(TransferControl.completionScript(for: .bash), to: files.completion)
        ServiceFiles.tellManagers()
        for path in files.all { Console.printPath(path) }
        Console.error(
            "The bus starts \(program) when it is needed. After you log out it stops until the next login; "
                + "'loginctl enable-linger' has it go on.")
    }

    private static func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: true, encoding: .utf8)
        } catch {
            throw UsageError("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}

/// The `transferctl service uninstall` command, which removes the service files.
struct ServiceUninstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove the files that 'install' wrote. A daemon that runs goes on until it is ended.")

    func run() throws {
        let files = try ServiceFiles()
        for path in files.all where FileManager.default.fileExists(atPath: path) {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                throw UsageError("\(path) cannot be removed: \(error.localizedDescription)")
            }
            Console.printPath(path)
        }
        ServiceFiles.tellManagers()
    }
}

/// The `transferctl service status` command, which shows whether the daemon is installed and running.
struct ServiceStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether the daemon is installed and runs; starts nothing.",
        discussion:
            """
            Status 0 when it runs, 3 when it does not. The rights that a process that talks to servers gives up depend on the \
            kernel and are named. With --json: installed, process, version, state, policy, workerConfinement, lost (what was \
            lost where the queue was found to be damaged at its start).
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let files = try ServiceFiles()
        let isInstalled = FileManager.default.fileExists(atPath: files.activation)
        let confinement = WorkerConfinement.offered
        var process: Int64?
        var status = DaemonStatus()
        try await DaemonConnection.with(bus: daemon.bus) { client in
            process = try await client.daemonProcess()
            guard process != nil else { return }
            do { status = try await client.status(startingIt: false) } catch BusClientError.noDaemon {
                // The daemon has ended since its process was looked up.
                process = nil
            }
        }
        if json {
            var fields: [String: Any] = ["installed": isInstalled, "workerConfinement": "\(confinement)"]
            (fields["process"], fields["version"], fields["policy"]) = (process, status.version, status.policy)
            fields["state"] = status.stateDirectory
            fields["lost"] = status.stateLost.map { $0.fields.mapValues(\.json) }
            JSONLine.print(fields)
        } else {
            Console.print(
                isInstalled ? "installed: \(files.activation)" : "not installed: 'transferctl service install'")
            Console.print(
                process.map { "runs: process \($0), state in \(status.stateDirectory ?? "?")" }
                    ?? (isInstalled ? "does not run; the first command that needs it starts it" : "does not run"))
            Console.print("Worker confinement: \(confinement)")
            if let lost = status.stateLost, let file = lost.file {
                Console.print("the queue was damaged (\(lost.reason ?? "?")), and lies in \(file) now")
                Console.print(
                    lost.backup.map {
                        "a backup of \(BusDate($0)) took its place: look through 'transferctl list'"
                    } ?? "there was no backup, so that what waited has to be handed over again")
            }
        }
        guard process != nil else { throw ExitStatus.noDaemon.code }
    }
}

/// The `transferctl service metrics` command, which prints the daemon's counters in Prometheus' text format.
struct ServiceMetrics: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print what the daemon has counted since its start, in Prometheus' text format.",
        discussion: "For node_exporter's textfile collector, write it to a file there from a timer of your own.")

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        Console.printText(try await client.metrics())
    }
}
