// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import ToolSupport

/// The file that a recording goes to: each line is in it, whole, as soon as it is written.
final class RecordingFile: Sendable {
    private struct State {
        var lines = 0
        /// The length up to the end of the last whole line.
        var length = 0
        /// The system's error number of the write that failed; nothing is written after that.
        var failure: Int32?
    }

    /// Its path, as it was given.
    let path: String
    private let descriptor: Int32
    private let state = Mutex(State())
    private let onFailure: @Sendable () -> Void

    /// How many lines are in it.
    var lines: Int { state.withLock { $0.lines } }

    /// What ended it early, in words; nil when nothing did.
    var failure: String? { state.withLock { $0.failure }.map { String(cString: strerror($0)) } }

    /// Makes the file, readable by its owner only; `onFailure` is called once, when a line cannot be written.
    ///
    /// - Throws: `UsageError` where it cannot be made, or is there and `replaces` is not set.
    init(path: String, replaces: Bool, onFailure: @escaping @Sendable () -> Void) throws {
        var status = stat()
        // A pipe or a terminal holds nothing that could be lost.
        let isSpecial = stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isSpecial ? 0 : replaces ? O_TRUNC : O_EXCL)
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw UsageError(
                errno == EEXIST
                    ? "--record '\(path)' is there already; give another name, or --force to replace it"
                    : "--record '\(path)' cannot be written: \(String(cString: strerror(errno)))")
        }
        self.path = path
        self.onFailure = onFailure
    }

    deinit { close(descriptor) }

    /// Writes a line.
    func write(_ line: String) {
        let hasFailed = state.withLock { state in
            guard state.failure == nil else { return false }
            let bytes = Array((line + "\n").utf8)
            state.failure = Self.write(bytes, to: descriptor)
            guard state.failure == nil else {
                // What was written of the line is of no use; a pipe keeps it.
                ftruncate(descriptor, state.length)
                return true
            }
            state.lines += 1
            state.length += bytes.count
            return false
        }
        if hasFailed { onFailure() }
    }

    /// Nil, or the error number.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
