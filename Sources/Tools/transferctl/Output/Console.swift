// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import ToolSupport

/// The standard output and standard error of the program.
enum Console {
    private struct State {
        /// The time until which writes wait for room after an interruption. `nil` before an interruption.
        var writeDeadline: ContinuousClock.Instant?
        var readerHasGone = false
        var onReaderGone: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())
    /// The size of a write that does not block if poll(2) reports room: `PIPE_BUF` on Linux.
    private static let chunkSize = 4096
    /// The interval at which a blocked write checks for an interruption, in milliseconds.
    private static let pollInterval: Int32 = 100

    /// Prints one or more lines of results, without characters that control a terminal.
    static func print(_ lines: String) { write(arranged(lines, for: STDOUT_FILENO) + "\n", to: STDOUT_FILENO) }

    /// Prints lines of results that contain no characters that control a terminal, and fit its width.
    static func printFitted(_ lines: String) { write(lines + "\n", to: STDOUT_FILENO) }

    /// Prints a JSON document on one line, with characters that control a terminal escaped.
    static func printJSON(_ document: String) { write(document.printableJSON + "\n", to: STDOUT_FILENO) }

    /// Prints the path of a file. The path is unchanged for programs, and has no control characters on a terminal.
    static func printPath(_ path: String) {
        write((isatty(STDOUT_FILENO) == 1 ? path.printable : path) + "\n", to: STDOUT_FILENO)
    }

    /// Prints text that other programs read. The text is unchanged for programs, and has no control characters on a
    /// terminal.
    static func printText(_ text: String) {
        write(isatty(STDOUT_FILENO) == 1 ? text.printableLines : text, to: STDOUT_FILENO)
    }

    /// Prints one or more lines of a message to standard error, without characters that control a terminal.
    static func error(_ message: String) { write(arranged(message, for: STDERR_FILENO) + "\n", to: STDERR_FILENO) }

    /// Returns lines without characters that control a terminal. On a terminal, long lines are broken between words.
    private static func arranged(_ lines: String, for descriptor: Int32) -> String {
        let text = lines.printableLines
        return isTerminal(descriptor) ? Formatting.broken(text, width: width(descriptor)) : text
    }

    /// Prints a server's response. The bytes are unchanged for programs, and have no control characters on a
    /// terminal.
    ///
    /// - Returns: A description of the error if not all bytes could be written, or `nil` on success.
    @discardableResult static func printBody(_ body: [UInt8]) -> String? {
        var bytes = body
        if isatty(STDOUT_FILENO) == 1 {
            let text = String(decoding: body, as: UTF8.self).printableLines
            bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
        }
        let error = write(bytes, to: STDOUT_FILENO)
        if hasLostReader { return "the output was closed before the end of the file" }
        return error == 0 ? nil : "cannot write to standard output (\(String(cString: strerror(error))))"
    }

    /// Writes all of a text, unchanged. Gives up if the reader has gone, or if it does not read after an
    /// interruption.
    static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    /// Writes bytes. Returns the error number if the system refuses some of them, or 0.
    @discardableResult private static func write(_ all: [UInt8], to descriptor: Int32) -> Int32 {
        var bytes = all[...]
        while !bytes.isEmpty, awaitRoom(descriptor) {
            let count = bytes.prefix(chunkSize).withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0, errno == EINTR || errno == EAGAIN {
                continue
            } else {
                let error = errno
                if count < 0, error == EPIPE, descriptor == STDOUT_FILENO { readerHasGone() }
                return error
            }
        }
        return 0
    }

    // MARK: Interruption and loss of the reader

    /// A Boolean value that indicates whether the program was interrupted.
    static var isInterrupted: Bool { state.withLock { $0.writeDeadline != nil } }

    /// Limits every wait for output to one second from now on. A user who interrupts a blocked pipeline wants it to
    /// end.
    static func interrupt() { state.withLock { $0.writeDeadline = $0.writeDeadline ?? .now + .seconds(1) } }

    /// Calls `handler` once, when a write finds that standard output has no reader.
    static func onReaderLoss(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.onReaderGone = handler }
    }

    /// A Boolean value that indicates whether a write has found that standard output has no reader.
    static var hasLostReader: Bool { state.withLock { $0.readerHasGone } }

    /// Watches for the loss of standard output's reader even while there is nothing to write.
    static func watchReader() {
        guard isPipe(STDOUT_FILENO) else { return }
        // Runs on its own thread, because no source of Dispatch reports that the other end of a pipe was closed.
        DispatchQueue(label: "transferctl.reader").async {
            var pollRequest = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&pollRequest, 1, -1) < 0, errno == EINTR {}
            if pollRequest.revents & Int16(POLLERR | POLLHUP) != 0 { readerHasGone() }
        }
    }

    private static func readerHasGone() {
        let handler = state.withLock { state in
            state.readerHasGone = true
            defer { state.onReaderGone = nil }
            return state.onReaderGone
        }
        handler?()
    }

    /// Waits until the descriptor has room.
    ///
    /// - Returns: `false` if the program was interrupted and the time limit has passed.
    private static func awaitRoom(_ descriptor: Int32) -> Bool {
        while true {
            let writeDeadline = state.withLock { $0.writeDeadline }
            var pollRequest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let hasExpired = writeDeadline.map { $0 <= .now } ?? false
            // Errors and a lost reader also count as ready. write(2) reports them.
            if poll(&pollRequest, 1, hasExpired ? 0 : pollInterval) > 0 { return true }
            if hasExpired { return false }
        }
    }

    // MARK: The terminal

    /// Returns whether the stream is a terminal that can move its cursor.
    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Returns whether the stream is a pipe or a socket to another program.
    static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Returns the width of the terminal in columns, or 80 if the terminal does not report it.
    static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns the height of the terminal in rows, or 24 if the terminal does not report it.
    static func height(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }
}
