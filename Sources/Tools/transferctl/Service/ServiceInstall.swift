// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxKernel
import ToolSupport

/// The `transferctl service install` command, which writes the service files, or enables those of a package.
struct ServiceInstall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract:
            "Install the files that let D-Bus and systemd start the daemon, and manual pages, completions, and a desktop entry.",
        discussion: """
            The first command that needs the daemon starts it. When you log out everywhere, systemd stops the daemon, \
            and waiting transfers continue at the next login. With 'loginctl enable-linger', the daemon keeps running. If \
            a package has installed the daemon, this command only makes systemd start it at each login, and removes the \
            files that an earlier 'install' wrote for another daemon.

            Also installed, but not enabled, is transfer-conditions.service, with which systemd reaches the targets \
            transfer-ac.target, transfer-unmetered.target, and transfer-discretionary.target while the conditions hold, \
            and transfer-not-ac.target and so on while they do not. To enable it: systemctl --user enable --now \
            transfer-conditions.service. A unit with BindsTo= and WantedBy= of a target runs whenever the condition holds.

            With --system, installs and starts the same service for the machine's systemd. It has no rights and transfers \
            nothing, and also publishes org.transferd.Conditions1 on the system bus.
            """)

    @Option(help: .init("The path of the daemon (default: transferd next to this program).", valueName: "file"))
    var program: String?

    @Flag(help: "Install only the machine's service that publishes conditions. Needs root.")
    var system = false

    @OptionGroup var daemon: DaemonOptions

    /// The folder of this program.
    static var ownFolder: String { OwnExecutable.path.split(separator: "/").dropLast().map { "/" + $0 }.joined() }
    /// The path of the daemon beside this program.
    static var daemonPath: String { ownFolder + "/transferd" }

    func run() async throws {
        let program = try program.map(PathName.absolute) ?? Self.daemonPath
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw UsageError("not an executable program: \(program); set the path of the daemon with --program")
        }
        guard !program.contains(where: { $0.isWhitespace || "\"'\\%$".contains($0) }) else {
            throw UsageError(
                "the path \(program) has a space, a quote, a backslash, $, or %, which unit files do not support; "
                    + "move the program")
        }
        for path in Set([program, OwnExecutable.path]) { try ServiceWriter.checkProgram(path, ofUser: !system) }
        guard !system else { return try ConditionsInstall(program: program).install() }
        let files = try ServiceFiles()
        let packaged = PackagedService.find(program: program)
        if packaged != nil {
            if try ServiceWriter.remove(files.all) {
                Console.error(
                    "Removed these files of an earlier 'service install'. The files of the package replace them.")
            }
        } else {
            try files.write(control: OwnExecutable.path, daemon: program) { name in
                switch name {
                case "transferctl": OwnExecutable.path
                case "transferd": program
                default: Self.ownFolder + "/" + name
                }
            }
            Console.error(
                "Wrote \(files.activation) for D-Bus, \(files.unit) for systemd, and manual pages, completions, and a "
                    + "desktop entry.")
        }
        ServiceWriter.reloadManagers()
        Console.error(
            ServiceFiles.enable()
                ? "systemd starts \(program) at each login."
                : "The user's systemd cannot be reached: nothing starts \(program) at login, and 'transferctl gate' and "
                    + "transfer-conditions.service do not work.")
        let activation = packaged?.activation ?? files.activation
        if let advice = await ActivationCheck(bus: daemon.bus).advice(file: activation, program: program) {
            return Console.error("transferctl: \(advice)")
        }
        Console.error(
            "D-Bus starts \(program) on first use. The daemon stops when you log out everywhere; to keep it running, "
                + "use 'loginctl enable-linger'.")
    }
}
