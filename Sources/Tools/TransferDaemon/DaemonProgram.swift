// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import Foundation
import LinuxKernel
import ProgramVersion
package import SQLiteStore
import ToolSupport
import TransferBusServer
package import TransferModel

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

/// The properties of the daemon that change from release to release: its version, and its queue's schema.
package struct DaemonRelease: Sendable {
    /// The version that the daemon prints, and that the bus tells.
    package var version: SoftwareVersion
    /// Migrations that follow those of `SQLiteStore`.
    package var laterMigrations: [SchemaMigration]

    /// Creates the description of a release.
    package init(version: SoftwareVersion, laterMigrations: [SchemaMigration] = []) {
        self.version = version
        self.laterMigrations = laterMigrations
    }

    /// The release that runs.
    @TaskLocal static var current = DaemonRelease(version: .ofThisBuild)
}
