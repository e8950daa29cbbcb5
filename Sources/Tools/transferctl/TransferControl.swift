// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport
import TransferWorker

/// The command line for people and scripts.
struct TransferControl: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "transferctl",
        abstract:
            "Fetches and uploads files when the moment is right: plugged in, on a free network, not before a date.",
        discussion: """
            Results go to standard output, messages to standard error.
            Exit status: 0 done, 1 at least one transfer failed, 2 wrong usage, 3 no daemon to be \
            reached, 4 timed out, 130 interrupted (partial files are kept, \
            the same command continues them).
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
        // This program is its own worker process.
        TransferWorker.runIfCalled()
        // A reader that goes away (`transferctl … | head`) ends the program at its next write, with an error, not by a
        // signal that would leave partial files unsynced.
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

    /// A file name that is not UTF-8 would have become another one on the way here.
    private static func refuseOtherEncodings() throws {
        guard let argument = CommandLine.arguments.first(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else {
            return
        }
        throw UsageError("the argument '\(argument)' is not UTF-8 text; give it in UTF-8")
    }
}

/// What the program ends with.
enum ExitStatus: Int32 {
    /// All is done.
    case done = 0
    /// At least one transfer failed.
    case failed = 1
    /// Wrong usage or configuration.
    case usage = 2
    /// There is no daemon to be reached.
    case noDaemon = 3
    /// What was waited for did not come in time.
    case timedOut = 4
    /// Interrupted; partial files are kept.
    case interrupted = 130
    /// Ended by SIGTERM; partial files are kept.
    case terminated = 143

    /// The status as the argument parser's error, to be thrown.
    var code: ExitCode { ExitCode(rawValue) }
}
