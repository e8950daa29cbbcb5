// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport
import TransferWorker

/// The root of the command line.
struct TransferControl: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "transferctl",
        abstract:
            "Download and upload files when the conditions are right: on AC power, on an unmetered network, or at night.",
        discussion: """
            Results go to standard output, messages to standard error.
            Exit status: 0 success, 1 at least one transfer failed, 2 wrong usage, 3 the daemon cannot be reached, 4 timed \
            out, 130 interrupted, 143 ended by SIGTERM (partial files are kept; run the same command again to continue).
            """,
        version: version,
        subcommands: [
            GetCommand.self, PutCommand.self, AddCommand.self, AddUploadCommand.self, ListCommand.self,
            WatchCommand.self, ShowCommand.self, WhyCommand.self, PauseCommand.self, ResumeCommand.self,
            CancelCommand.self,
            NowCommand.self, SetCommand.self, HoldCommand.self, ReleaseCommand.self, WaitCommand.self,
            HistoryCommand.self, LogCommand.self,
            ConditionsCommand.self, LimiterCommand.self, BudgetsCommand.self, SessionsCommand.self, AppsCommand.self,
            OverrideCommand.self,
            PoliciesCommand.self, PolicyCommand.self, ServiceCommand.self, ManualCommand.self,
        ])
}

@main
enum Program {
    static func main() async {
        // This program is also the executable of its worker process.
        TransferWorker.runIfCalled()
        // If the reader goes away (`transferctl … | head`), the next write fails and the program ends. A signal would
        // leave partial files unsynced.
        signal(SIGPIPE, SIG_IGN)
        do {
            try refuseOtherEncodings()
            var command = try await TransferControl.asyncParseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as UsageError {
            Console.error("transferctl: \(error)")
            exit(ExitStatus.usage.rawValue)
        } catch let code as ExitCode {
            exit(code.rawValue)
        } catch {
            let code = TransferControl.exitCode(for: error)
            if code == .success || code == .validationFailure {
                let text = TransferControl.fullMessage(for: error)
                if code == .success { Console.print(text) } else { Console.error(text) }
                exit(code == .success ? 0 : ExitStatus.usage.rawValue)
            }
            Console.error("transferctl: \(error)")
            exit(ExitStatus.failed.rawValue)
        }
    }

    /// Rejects arguments that are not UTF-8. Swift has already replaced the invalid bytes of such an argument.
    private static func refuseOtherEncodings() throws {
        guard let argument = CommandLine.arguments.first(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
            return
        }
        throw UsageError("the argument '\(argument)' is not UTF-8 text; use UTF-8")
    }
}

/// The exit statuses of the program.
enum ExitStatus: Int32 {
    /// The command succeeded.
    case done = 0
    /// At least one transfer failed.
    case failed = 1
    /// The usage or the configuration is wrong.
    case usage = 2
    /// The daemon cannot be reached.
    case noDaemon = 3
    /// The awaited event did not occur in time.
    case timedOut = 4
    /// The program was interrupted. Partial files are kept.
    case interrupted = 130
    /// The program was ended by SIGTERM. Partial files are kept.
    case terminated = 143

    /// The status as an error of ArgumentParser, to be thrown.
    var code: ExitCode { ExitCode(rawValue) }
}
