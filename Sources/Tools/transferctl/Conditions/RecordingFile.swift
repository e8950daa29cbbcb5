// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import ToolSupport

/// The output file of a recording. Each line is in the file, complete, as soon as it is written.
final class RecordingFile: Sendable {
    private struct State {
        var lines = 0
        /// The length of the file up to the end of the last complete line.
        var length = 0
        /// The error number of the write that failed. Nothing is written after a failure.
        var failure: Int32?
    }

    /// The path as the user gave it.
    let path: String
    private let descriptor: Int32
    private let state = Mutex(State())
    private let onFailure: @Sendable () -> Void

    /// The number of lines in the file.
    var lines: Int { state.withLock { $0.lines } }

    /// A description of the error that ended the recording early, or `nil` if there was none.
    var failure: String? { state.withLock { $0.failure }.map { String(cString: strerror($0)) } }

    /// Creates the file, readable by its owner only. `onFailure` is called once, if a line cannot be written.
    ///
    /// - Throws: `UsageError` if the file cannot be created, or if it exists and `replaces` is false.
    init(path: String, replaces: Bool, onFailure: @escaping @Sendable () -> Void) throws {
        var status = stat()
        // A pipe or a terminal holds no data that could be lost.
        let isSpecial = stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isSpecial ? 0 : replaces ? O_TRUNC : O_EXCL)
        descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw UsageError(
                errno == EEXIST
                    ? "--record '\(path)' already exists; use another name, or --force to replace it"
                    : "cannot write --record '\(path)': \(String(cString: strerror(errno)))")
        }
        self.path = path
        self.onFailure = onFailure
    }

    deinit { close(descriptor) }

    /// Writes a line. Has no effect after a failure.
    func write(_ line: String) {
        let hasFailed = state.withLock { state in
            guard state.failure == nil else { return false }
            let bytes = Array((line + "\n").utf8)
            state.failure = Self.write(bytes, to: descriptor)
            guard state.failure == nil else {
                // The partial line is useless and is cut off. In a pipe, it remains.
                ftruncate(descriptor, state.length)
                return true
            }
            state.lines += 1
            state.length += bytes.count
            return false
        }
        if hasFailed { onFailure() }
    }

    /// Writes all bytes. Returns the error number, or `nil` on success.
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
