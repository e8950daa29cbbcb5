// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import Foundation
import LinuxKernel
import ProgramVersion
import ToolSupport
import TransferModel
import TransferWorker

/// The root of the command line.
struct TransferControl: AsyncParsableCommand {
    /// The number of the release, for manual pages and reports, which do not depend on the commit.
    static let version = SoftwareVersion.current

    static let configuration = CommandConfiguration(
        commandName: "transferctl",
        abstract:
            "Download and upload files when the conditions are right: on AC power, on an unmetered network, or at night.",
        discussion: """
            Results go to standard output, messages to standard error.
            Exit status: 0 success, 1 at least one transfer failed, 2 wrong usage, 3 the daemon cannot be reached, 4 timed \
            out, 130 interrupted, 143 ended by SIGTERM (partial files are kept; run the same command again to continue).
            """,
        version: "\(SoftwareVersion.ofThisBuild)",
        subcommands: [
            GetCommand.self, PutCommand.self, RunCommand.self, AddCommand.self, AddUploadCommand.self, ListCommand.self,
            WatchCommand.self, ShowCommand.self, WhyCommand.self, PauseCommand.self, ResumeCommand.self,
            CancelCommand.self,
            NowCommand.self, SetCommand.self, RetryCommand.self, RemoveCommand.self, ClearCommand.self,
            HoldCommand.self, ReleaseCommand.self, WaitCommand.self,
            HistoryCommand.self, LogCommand.self,
            ConditionsCommand.self, LimiterCommand.self, BudgetsCommand.self, SessionsCommand.self, AppsCommand.self,
            OverrideCommand.self, GateCommand.self,
            PoliciesCommand.self, PolicyCommand.self, ServiceCommand.self, ManualCommand.self,
        ])
}

@main
enum Program {
    static func main() {
        // This program is also the executable of its worker process.
        TransferWorker.runIfCalled()
        // An asynchronous main function would already run on a second thread. All pools but the first grow by a page at
        // a time, which takes a sixth of the time of a long list.
        MemoryPools.limit(to: 1)
        Task {
            await run()
            exit(0)
        }
        dispatchMain()
    }

    private static func run() async {
        // If the reader goes away (`transferctl … | head`), the next write fails and the program ends. A signal would
        // leave partial files unsynced.
        signal(SIGPIPE, SIG_IGN)
        let personality = Personality(programPath: CommandLine.arguments[0])
        let name = personality?.rawValue ?? "transferctl"
        var defaults: String?
        func end(_ status: Int32, _ failure: TransferStatus? = nil) -> Never {
            exit(personality?.status(for: status, failure: failure) ?? status)
        }
        do {
            try refuseOtherEncodings()
            ArgumentSecrets.hide()
            var arguments = Array(CommandLine.arguments.dropFirst())
            if let personality {
                switch try PersonalityFiles.translate(arguments, personality) {
                case .text(let text):
                    Console.print(text)
                    return
                case .words(let words): arguments = words
                }
            }
            try CommandSuggestion.check(arguments, in: TransferControl.self)
            try RunCommand.checkTerminator(in: arguments)
            (arguments, defaults) = try GetDefaults.apply(to: arguments)
            var command = try await TransferControl.asyncParseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as UsageError {
            Console.error("\(name): \(error)")
            explainDefaults(defaults)
            end(ExitStatus.usage.rawValue)
        } catch let run as UnsuccessfulRun {
            end(run.status.rawValue, run.failure)
        } catch let code as ExitCode {
            end(code.rawValue)
        } catch {
            let code = TransferControl.exitCode(for: error)
            if code == .success || code == .validationFailure {
                let text = TransferControl.fullMessage(for: error)
                if code == .success { Console.print(text) } else { Console.error(text) }
                if code != .success { explainDefaults(defaults) }
                end(code == .success ? 0 : ExitStatus.usage.rawValue)
            }
            Console.error("\(name): \(error)")
            end(ExitStatus.failed.rawValue)
        }
    }

    /// Names the file whose options were used, because a rejected option may come from it.
    private static func explainDefaults(_ path: String?) {
        if let path { Console.error("transferctl: the options of \(path) were used; --no-config ignores them") }
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
