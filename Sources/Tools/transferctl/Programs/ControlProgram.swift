// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import Foundation
import LinuxKernel
import ToolSupport
import TransferModel
import TransferWorker

/// The main function of `transferctl`.
enum ControlProgram {
    /// Runs the program with the arguments of this process, and ends the process.
    ///
    /// - Parameter personality: The program whose command line this process accepts; `nil` for that of `transferctl`.
    static func main(as personality: Personality?) -> Never {
        // This program is also the executable of its worker process.
        TransferWorker.runIfCalled()
        // An asynchronous main function would already run on a second thread. All pools but the first grow by a page at
        // a time, which takes a sixth of the time of a long list.
        MemoryPools.limit(to: 1)
        Task {
            await run(as: personality)
            exit(0)
        }
        dispatchMain()
    }

    private static func run(as personality: Personality?) async {
        // If the reader goes away (`transferctl … | head`), the next write fails and the program ends. A signal would
        // leave partial files unsynced.
        signal(SIGPIPE, SIG_IGN)
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
