// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A child process of a fixture, with lines as input and output. The process is ended by its id.
package final class FixtureProcess: Sendable {
    /// The lines that the process prints.
    package let output = LineBuffer()
    private let input: FileHandle
    private let process: ChildProcess

    /// Starts `command`, looked up in `PATH`, with `environment` added to this process's environment.
    ///
    /// - Parameter showsErrors: A Boolean value that indicates whether the output contains the error output.
    package init(_ command: [String], environment: [String: String] = [:], showsErrors: Bool = false) throws {
        // Writing to a process that has ended must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        let (input, output) = (Pipe(), Pipe())
        self.input = input.fileHandleForWriting
        let null = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/null"))
        process = try ChildProcess(
            ["/usr/bin/env"] + command, environment: environment,
            input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
            errors: (showsErrors ? output.fileHandleForWriting : null).fileDescriptor)
        withExtendedLifetime((input, null)) {}
        self.output.read(output.fileHandleForReading)
    }

    deinit {
        // The process ends at the end of its input. Killed, it would leave its own children behind.
        try? input.close()
        Task { [process] in _ = try? await process.wait(within: 60) }
    }

    /// Starts a service that ignores its input. The service ends when `end` is called or when this process dies.
    package static func service(
        _ command: [String], environment: [String: String] = [:]
    ) async throws -> (process: FixtureProcess, id: Int32) {
        // The service prints its own id, so that the id precedes all other output.
        let guardian = """
            sh -c 'echo "$$"; exec "$@"' sh "$@" </dev/null & child=$!
            while read -r line; do :; done
            kill -KILL "$child" 2>/dev/null
            wait "$child"
            """
        let process = try FixtureProcess(["/bin/sh", "-c", guardian, "sh"] + command, environment: environment)
        let line = try await process.output.next()
        guard let id = Int32(line.text) else { throw FixtureError("no process id: \(line.text)") }
        return (process, id)
    }

    /// The process id.
    package var id: Int32 { process.id }

    /// A Boolean value that indicates whether the process has not ended yet.
    package var isRunning: Bool { process.exitStatus == nil }

    /// Writes a line to the process's input.
    package func send(_ line: String) throws { try input.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Closes the process's input and waits for the process to end. Kills the process after a minute.
    package func end() async {
        try? input.close()
        // A canceled test also waits.
        await Task { [process] in _ = try? await process.wait(within: 60) }.value
        process.end()
    }

    /// Waits for the process to end by itself, and returns its exit status.
    @discardableResult
    package func wait(within seconds: Double) async throws -> Int32 { try await process.wait(within: seconds) }

    /// Kills the process, as a crash would, and waits for its end.
    package func kill() async throws {
        process.signal(SIGKILL)
        try await process.wait(within: 60)
    }

    /// Runs a command to completion and returns its output, including standard error.
    ///
    /// - Throws: `FixtureError` if the command fails.
    @discardableResult
    package static func run(_ command: [String], environment: [String: String] = [:]) async throws -> String {
        let output = try TemporaryFolder()
        let process = try start(command, environment, output)
        return try text(of: command, in: output, status: try await process.wait(within: 300))
    }

    /// Returns whether a command succeeds. Blocks this thread, and is for the conditions of suites.
    package static func succeeds(_ command: [String]) -> Bool { (try? runBlocking(command)) != nil }

    /// Runs a command to completion on this thread, for the conditions of suites.
    @discardableResult
    package static func runBlocking(_ command: [String]) throws -> String {
        let output = try TemporaryFolder()
        return try text(of: command, in: output, status: try start(command, [:], output).waitOnThisThread())
    }

    private static func start(
        _ command: [String], _ environment: [String: String], _ output: TemporaryFolder
    ) throws -> ChildProcess {
        try ChildProcess("/usr/bin/env", command, environment: environment, output: output.path + "/out")
    }

    private static func text(of command: [String], in output: TemporaryFolder, status: Int32) throws -> String {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: output.path + "/out")), as: UTF8.self)
        guard status == 0 else { throw FixtureError("\(command.joined(separator: " ")) failed (\(status)): \(text)") }
        return text
    }
}

/// The folder of the tests, into which the programs of this project are built.
package let builtFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .path

/// Returns the path of a built program of this project.
package func builtProgram(_ name: String) -> String { builtFolder + "/" + name }
