// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandRunner
import LinuxClock
import ToolSupport
import TransferModel

/// The `transferctl run` command, which runs any command when the conditions are right.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run any command when the conditions are right.",
        usage: "transferctl run [conditions] [--on-loss action] -- command ...",
        discussion: """
            Waits for the conditions, then runs the command with the terminal, the standard streams, and the signals of this \
            program. Without conditions, the command starts immediately. The deadline (--by) is the time of the latest \
            start: it ends the wait for all conditions, but not for --not-before and --window. --when with conditions of \
            power alone needs no network.

            --on-loss says what happens when the conditions are lost while the command runs: wait lets it finish; freeze \
            freezes it until the conditions return; stop ends it (SIGTERM, then SIGKILL after --grace); restart ends it, and \
            starts it again when the conditions return. A frozen command keeps its locks and connections, and other \
            machines may give up on it. A frozen command continues first if it receives a signal, if the machine shuts \
            down, or if this program ends for any reason.

            Needs no daemon. If a daemon runs, 'transferctl list', 'why', and 'now' know the command as c1, c2, and so on, \
            and 'hold' counts as a loss of conditions. Only the first word of the command is shown.

            Exit status: the status of the command; 128 plus the number of the signal that ended it; 75 if --on-loss stop \
            ended it; 126 if the program cannot be executed; 127 if it does not exist; 2 wrong usage.
            """)

    @Argument(
        parsing: .postTerminator,
        help: .init("The program, which is sought in PATH, and its arguments.", valueName: "command"),
        completion: .shellCommand("compgen -c"))
    var command: [String] = []

    @OptionGroup(title: "Conditions") var conditions: ConditionOptions
    @OptionGroup(title: "Options of this command") var own: RunOptions
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var testOptions: TestOptions

    /// Rejects a command line without `--`, whose error would otherwise be about the first word of the command.
    ///
    /// - Parameter arguments: The command line without the program.
    /// - Throws: `UsageError` that says where the command belongs.
    static func checkTerminator(in arguments: [String]) throws {
        let isHelp = arguments.contains { ["-h", "--help", "--help-hidden", "--version"].contains($0) }
        guard arguments.first == "run", !isHelp, !arguments.contains("--") else { return }
        throw missingCommand
    }

    /// The error of a command line without a command.
    static var missingCommand: UsageError {
        UsageError("write the command after --, such as 'transferctl run --when ac -- restic backup ~'")
    }

    func run() async throws {
        // Created before any file is opened, so that the command inherits what this program has inherited.
        let inherited = ProgramTarget.inheritedFiles()
        let alarm = try AdapterFactory.alarm()
        let plan = try RunPlan(self, now: alarm.now().wall)
        let status = try await CommandRun(
            plan: plan, alarm: alarm,
            messages: RunMessages(name: plan.name, isQuiet: own.quiet, isVerbose: own.verbose),
            bus: daemon.bus, interruption: "interrupted; the command did not run"
        ) {
            ProgramTarget(plan.command, isFreezable: plan.onLoss == .freeze, inheriting: inherited)
        }.run()
        guard status == 0 else { throw ExitCode(status) }
    }
}

extension LossAction: ExpressibleByArgument {}

/// The options of `transferctl run` besides the conditions.
struct RunOptions: ParsableArguments {
    @Option(help: .init("What happens if the conditions are lost.", valueName: "action"))
    var onLoss = LossAction.wait

    @Option(
        name: .customLong("grace"),
        help: .init("The time between SIGTERM and SIGKILL for stop and restart: 30s, 2m.", valueName: "time"))
    var killDelay = "30s"

    @Option(
        help: .init(
            "Assume conditions instead of reading them: power=battery,battery=30,network=wifi,metered=no.",
            valueName: "conditions"))
    var assume: String?

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also print when the command starts, and whether a daemon knows it.")
    var verbose = false
}

/// The messages of `transferctl run` on standard error.
struct RunMessages {
    /// The first word of the command, or the name of the unit.
    let name: String
    let isQuiet: Bool
    let isVerbose: Bool
    /// Called with each message about the command, besides printing it.
    var onMessage: (@Sendable (String) -> Void)?

    /// Prints a message about the command.
    func show(_ text: String) {
        if !isQuiet { Console.error("\(name): \(text)".printable) }
        onMessage?(text)
    }

    /// Prints a message that only `--verbose` requests.
    func showDetail(_ text: String) { if isVerbose { show(text) } }

    /// Prints an error.
    func showError(_ text: String) { Console.error("transferctl: \(text)".printable) }
}
