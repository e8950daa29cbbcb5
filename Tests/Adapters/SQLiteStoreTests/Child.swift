// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A program that runs as a child process of the tests.
final class Child {
    /// The path of `StoreChild`, which is built into the same folder as the tests.
    static var storeChild: String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("StoreChild").path
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var unread = Data()

    /// Starts `program`. A name without a slash is searched for in PATH.
    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Returns the next line of output; `nil` at the end. Blocks until the line is complete.
    func nextLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread.removeSubrange(unread.startIndex...end)
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread += more
        }
    }

    /// Kills the process immediately, like a power failure from the process's point of view.
    func kill() {
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits for the end and returns the exit status and the standard error output.
    func end() -> (status: Int32, errors: String) {
        let errorText = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: errorText, as: UTF8.self))
    }

    /// Returns whether `program` can be run here and exits with status 0.
    static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
        guard let child = try? Child(program, arguments) else { return false }
        while child.nextLine() != nil {}
        return child.end().status == 0
    }
}
