// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A child process of a fixture, with lines as input and output. The process is ended by its id.
package final class FixtureProcess: Sendable {
    /// The lines that the process prints.
    package let output = LineBuffer()
    private let input = Pipe()
    private let ending = Mutex<[CheckedContinuation<Void, Never>]?>([])
    private let process = Process()

    /// Starts `command`, looked up in `PATH`, with `environment` added to this process's environment.
    package init(_ command: [String], environment: [String: String] = [:]) throws {
        // Writing to a process that has ended must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [weak self] _ in self?.ended() }
        try process.runWithoutBlockedSignals()
        let reading = pipe.fileHandleForReading
        // A thread is used instead of a handler: Dispatch may end this process if a watched pipe hangs up
        // (swift-corelibs-libdispatch 949).
        Thread.detachNewThread { [output] in
            while true {
                let data = reading.availableData
                output.append(data)
                guard !data.isEmpty else { break }
            }
        }
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
    package var id: Int32 { process.processIdentifier }

    /// A Boolean value that indicates whether the process has not ended yet.
    package var isRunning: Bool { process.isRunning }

    /// Writes a line to the process's input.
    package func send(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Closes the process's input and waits for the process to end.
    package func end() async {
        try? input.fileHandleForWriting.close()
        await withCheckedContinuation { continuation in
            let isEnded = ending.withLock { waiting in
                waiting?.append(continuation)
                return waiting == nil
            }
            if isEnded { continuation.resume() }
        }
    }

    private func ended() {
        let waiting = ending.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Runs a command to completion and returns its output, including standard error.
    ///
    /// - Throws: `FixtureError` if the command fails.
    @discardableResult
    package static func run(_ command: [String], environment: [String: String] = [:]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try runBlocking(command, environment: environment) })
            }
        }
    }

    static func runBlocking(_ command: [String], environment: [String: String] = [:]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.runWithoutBlockedSignals()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw FixtureError("\(command.joined(separator: " ")) failed (\(process.terminationStatus)): \(text)")
        }
        return text
    }
}

extension Process {
    /// Runs the process with an empty signal mask.
    ///
    /// Dispatch threads block SIGTERM, SIGCHLD, and most other signals, and children would inherit the mask.
    fileprivate func runWithoutBlockedSignals() throws {
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try run()
    }
}
