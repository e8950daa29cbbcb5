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
        commandName: "service",
        abstract: "Install, uninstall, and inspect the service that starts the daemon on first use.",
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
    /// - Throws: `UsageError` if no environment variable specifies a folder.
    init() throws {
        activation =
            try BaseFolder.data.path(for: "the data folder") + "/dbus-1/services/\(TransferBusName.service).service"
        unit = try BaseFolder.config.path(for: "the configuration folder") + "/systemd/user/transferd.service"
        let data = try BaseFolder.data.path(for: "the data folder")
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
    static func reloadManagers() {
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
            "Install the D-Bus and systemd files that start the daemon, the manual page, and bash completion.",
        discussion: """
            The first command that needs the daemon starts it. When you log out everywhere, systemd stops the daemon, \
            and waiting transfers continue at the next login. With 'loginctl enable-linger', the daemon keeps running.
            """)

    @Option(help: .init("The path of the daemon (default: transferd next to this program).", valueName: "file"))
    var program: String?

    func run() throws {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let sibling = executable.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/transferd"
        let program = try program.map(PathName.absolute) ?? sibling
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw UsageError("not an executable program: \(program); set the path of the daemon with --program")
        }
        guard !program.contains(where: { $0.isWhitespace || "\"'\\%$".contains($0) }) else {
            throw UsageError(
                "the path \(program) has a space, a quote, a backslash, $, or %, which unit files do not support; "
                    + "move the program")
        }
        let files = try ServiceFiles()
        try Self.write(ServiceFiles.activationText(program: program), to: files.activation)
        try Self.write(ServiceFiles.unitText(program: program), to: files.unit)
        try Self.write(ManualPage.text(), to: files.manual)
        try Self.write(TransferControl.completionScript(for: .bash), to: files.completion)
        ServiceFiles.reloadManagers()
        for path in files.all { Console.printPath(path) }
        Console.error(
            "D-Bus starts \(program) on first use. The daemon stops when you log out everywhere; to keep it running, "
                + "use 'loginctl enable-linger'.")
    }

    private static func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: true, encoding: .utf8)
        } catch {
            throw UsageError("cannot write \(path): \(error.localizedDescription)")
        }
    }
}

/// The `transferctl service uninstall` command, which removes the service files.
struct ServiceUninstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove the files written by 'install'. A running daemon keeps running until it is stopped.")

    func run() throws {
        let files = try ServiceFiles()
        for path in files.all where FileManager.default.fileExists(atPath: path) {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                throw UsageError("cannot remove \(path): \(error.localizedDescription)")
            }
            Console.printPath(path)
        }
        ServiceFiles.reloadManagers()
    }
}

/// The `transferctl service status` command, which shows whether the daemon is installed and running.
struct ServiceStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the daemon is installed and running, without starting it.",
        discussion:
            """
            Exit status: 0 running, 3 not running. The worker confinement lists the privileges that the worker \
            processes, which talk to servers, give up. It depends on the kernel. With --json: installed, process, version, \
            state, policy, workerConfinement, lost (the data lost if the queue was damaged when the daemon started).
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
            do { status = try await client.status(startsService: false) } catch BusClientError.noDaemon {
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
                isInstalled
                    ? "installed: \(files.activation)" : "not installed (run 'transferctl service install')")
            Console.print(
                process.map { "running: process \($0), state in \(status.stateDirectory ?? "?")" }
                    ?? (isInstalled ? "not running (D-Bus starts it on first use)" : "not running"))
            Console.print("worker confinement: \(confinement)")
            if let lost = status.stateLost, let file = lost.file {
                Console.print("the queue was damaged (\(lost.reason ?? "?")) and was moved to \(file)")
                Console.print(
                    lost.backup.map {
                        "restored from the backup of \(BusDate($0)); check the transfers with 'transferctl list'"
                    } ?? "no backup was available; waiting transfers must be submitted again")
            }
        }
        guard process != nil else { throw ExitStatus.noDaemon.code }
    }
}

/// The `transferctl service metrics` command, which prints the daemon's counters in Prometheus' text format.
struct ServiceMetrics: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the daemon's counters since its start in the Prometheus text format.",
        discussion: "To use the textfile collector of node_exporter, redirect the output to a file from a timer.")

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        Console.printText(try await client.metrics())
    }
}
