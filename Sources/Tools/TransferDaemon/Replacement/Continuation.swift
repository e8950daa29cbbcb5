// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import TransferBusServer

/// The part of a daemon's state that is not on disk, passed to the program that continues the process.
///
/// A file in memory holds the state, and an environment variable names the file's descriptor. Both are gone once the
/// program has read them.
struct Continuation: Codable, Sendable {
    /// The descriptor of the state folder's lock. The lock is held without a gap.
    var lock: Int32
    /// The programs that the daemon started for apps. Their bus connections must belong to the same apps as before.
    var launched = LaunchedPrograms.Contents()
    /// Other child processes, which must be collected when they end.
    var children: [Int32] = []

    private static let variable = "TRANSFERD_CONTINUED"

    /// Reads the state that an earlier program of this process left. Returns `nil` for a process that starts.
    static func inherited() -> Continuation? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        // Programs that the daemon starts must not find the variable.
        unsetenv(variable)
        guard let file = Int32(text), file > STDERR_FILENO else { return nil }
        defer { close(file) }
        return try? JSONDecoder().decode(Continuation.self, from: Data(ProcessImage.contents(of: file)))
    }

    /// Continues this process as the program at a path. Returns only if that fails.
    ///
    /// - Returns: The reason for the failure.
    func run(_ path: String, _ arguments: [String]) -> String {
        guard let state = try? JSONEncoder().encode(self), let file = ProcessImage.file(containing: Array(state)) else {
            return "no memory"
        }
        setenv(Self.variable, String(file), 1)
        return ProcessImage.replace(with: path, arguments, keeping: [lock, file])
    }
}

/// A failure to continue as the new program. Ends the process with status 1, so that a service manager starts it again.
struct ContinuationError: Error, CustomStringConvertible {
    let description = "the program was replaced, and this process cannot continue as the new one; start transferd again"
}
