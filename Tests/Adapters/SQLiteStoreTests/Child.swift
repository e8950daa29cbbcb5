// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A program that a test runs beside itself.
final class Child {
    /// `StoreChild`, which is built beside the tests.
    static var storeChild: String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("StoreChild").path
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var unread = Data()

    /// Starts `program`, found in PATH where it has no slash.
    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// The next line it prints; nil at the end. Blocks until then.
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

    /// Ends it at once, as a power switch would as far as it is concerned.
    func kill() {
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
    }

    /// Its exit status, and what it wrote to standard error. Blocks until it has ended.
    func end() -> (status: Int32, errors: String) {
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    /// Whether `program` runs here and ends well.
    static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
        guard let child = try? Child(program, arguments) else { return false }
        while child.nextLine() != nil {}
        return child.end().status == 0
    }
}
