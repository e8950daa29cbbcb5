// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ProgramVersion
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel
import WorkerExecutor

/// The `transferctl service status` command, which shows whether the daemon is installed and running.
struct ServiceStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the daemon is installed and running, without starting it.",
        discussion:
            """
            Exit status: 0 running, 3 not running. The worker confinement lists the privileges that the worker \
            processes, which talk to servers, give up. It depends on the kernel.
            """)

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let files = try ServiceFiles()
        let own = FileManager.default.fileExists(atPath: files.activation) ? files.activation : nil
        let activation = own ?? PackagedService.find(program: ServiceInstall.daemonPath)?.activation
        let isInstalled = activation != nil
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
            fields["commit"] = status.softwareVersion?.commit
            fields["state"] = status.stateDirectory
            fields["lost"] = status.stateLost.map { $0.fields.mapValues(\.json) }
            JSONLine.print(fields)
        } else {
            Console.print(
                activation.map { "installed: \($0)" } ?? "not installed (run 'transferctl service install')")
            Console.print(
                process.map { process in
                    let version = status.softwareVersion.map { "version \($0), " } ?? ""
                    return "running: process \(process), \(version)state in \(status.stateDirectory ?? "?")"
                } ?? (isInstalled ? "not running (D-Bus starts it on first use)" : "not running"))
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
        if let warning = status.softwareVersion?.warning(forClient: .ofThisBuild) {
            Console.error("transferctl: \(warning)")
        }
    }
}

extension DaemonStatus {
    /// The version of the daemon. `nil` if the daemon is not running.
    var softwareVersion: SoftwareVersion? {
        version.map { SoftwareVersion(number: $0, commit: commit.flatMap { $0.isEmpty ? nil : $0 }) }
    }
}

extension SoftwareVersion {
    /// Returns a sentence about a daemon of this version if its version differs from the client's; otherwise `nil`.
    func warning(forClient client: SoftwareVersion) -> String? {
        guard differs(from: client) else { return nil }
        return "the daemon is version \(self) and this program is version \(client); after an update, the daemon "
            + "continues as the new version within a minute, or restart it with 'systemctl --user restart transferd'"
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

/// The `transferctl service` command, which makes systemd and the bus start the daemon for this user.
struct ServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Install, uninstall, and inspect the service that starts the daemon on first use.",
        subcommands: [
            ServiceInstall.self, ServiceUninstall.self, ServiceStatus.self, ServiceMetrics.self,
            ServicePackageFiles.self,
        ])
}
