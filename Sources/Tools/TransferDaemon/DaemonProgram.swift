// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import Foundation
import LinuxKernel
import ProgramVersion
import ToolSupport
import TransferBusServer
import TransferModel

/// The main function of `transferd`.
package enum DaemonProgram {
    /// Runs the program with the arguments of this process, and ends the process.
    ///
    /// - Parameter release: The version and the schema. The default is this build's.
    package static func main(_ release: DaemonRelease = DaemonRelease(version: .ofThisBuild)) -> Never {
        // An asynchronous main function would already run on a second thread.
        MemoryPools.limit(to: 2)
        Task {
            await DaemonRelease.$current.withValue(release) { await run() }
            exit(0)
        }
        dispatchMain()
    }

    private static func run() async {
        signal(SIGPIPE, SIG_IGN)
        let continuation = Continuation.inherited()
        do {
            let command = try TransferdCommand.parse()
            try await command.run(continuing: continuation)
        } catch let error as UsageError {
            write("transferd: \(error)")
            exit(2)
        } catch let error as BusServerError {
            write("transferd: \(error)")
            exit(error.end == .nameTaken ? 2 : 3)
        } catch {
            let code = TransferdCommand.exitCode(for: error)
            guard code == .success || code == .validationFailure else {
                write("transferd: \(error)")
                exit(1)
            }
            write(TransferdCommand.fullMessage(for: error), to: code == .success ? 1 : 2)
            exit(code == .success ? 0 : 2)
        }
    }

    private static func write(_ text: String, to descriptor: Int32 = 2) {
        let handle = FileHandle(fileDescriptor: descriptor)
        try? handle.write(contentsOf: Data((text + "\n").utf8))
    }
}
