// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ProgramVersion
import ToolSupport
import TransferModel

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
            GetCommand.self, PutCommand.self, RunCommand.self, WaitCommand.self,
            AddCommand.self, ListCommand.self, WhyCommand.self, WatchCommand.self, PauseCommand.self,
            ResumeCommand.self, CancelCommand.self, NowCommand.self, SetCommand.self,
            HoldCommand.self, ReleaseCommand.self, HistoryCommand.self, ClearCommand.self,
            ConditionsCommand.self, NetworkCommand.self, ConfigCommand.self,
            GateCommand.self, AppsCommand.self, ServiceCommand.self, ManualCommand.self,
        ])
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
