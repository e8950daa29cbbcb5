// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import Foundation
import PolicyLab
import ProgramVersion
import TransferModel
import TransferPolicy

/// The command line of the policy lab.
struct TransferLab: AsyncParsableCommand {
    /// The number of the release, for manual pages and reports, which do not depend on the commit.
    static let version = SoftwareVersion.current

    static let configuration = CommandConfiguration(
        commandName: "transferlab",
        abstract: "Compare transfer policies on recorded days, with each other and with the optimum.",
        discussion: """
            Replays a device's recorded power and network with its jobs, through the scheduler and the policies that \
            transferctl uses, under a virtual clock.
            Results go to standard output, messages to standard error.
            Exit status: 0 success, 1 a comparison failed, 2 invalid usage or input.
            """,
        version: "\(SoftwareVersion.ofThisBuild)",
        subcommands: [
            RunCommand.self, SweepCommand.self, EvaluateCommand.self, OracleCommand.self, ExplainCommand.self,
            TimelineCommand.self,
            AnalyzeCommand.self, CheckCommand.self, SynthCommand.self, WorkloadCommand.self,
            PoliciesCommand.self,
            DiffCommand.self, ShardCommand.self, DevicesCommand.self, MergeCommand.self, ManualCommand.self,
        ])
}

/// The main function of `transferlab`.
package enum LabProgram {
    /// Runs the program with the arguments of this process, and ends the process.
    package static func main() -> Never {
        Task { exit(await run(Array(CommandLine.arguments.dropFirst()))) }
        dispatchMain()
    }

    /// Runs the program with arguments, and returns the exit status.
    package static func run(_ arguments: [String]) async -> Int32 {
        // Without SIGPIPE, a reader that goes away (`transferlab … | head`) ends the program quietly at its next
        // write.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try TransferLab.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            return report(error)
        }
    }

    /// Reports an error and returns the exit status.
    private static func report(_ error: any Error) -> Int32 {
        let isInput = error is InputError || error is UsageError || error is PolicyNameError
        guard !isInput else {
            Console.error(error is InputError ? "\(error)" : "transferlab: \(error)")
            return 2
        }
        let code = TransferLab.exitCode(for: error)
        let text = TransferLab.fullMessage(for: error)
        if code == .success {
            Console.print(text)
            return 0
        }
        Console.error(text)
        return code == .validationFailure ? 2 : 1
    }
}

/// An error in the command line. Ends the program with status 2.
struct UsageError: Error, CustomStringConvertible {
    /// A description of the mistake and of valid usage.
    let description: String

    init(_ description: String) { self.description = description }
}
