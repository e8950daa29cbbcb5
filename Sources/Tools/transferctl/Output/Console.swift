// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import ToolSupport

/// The two streams a program writes to.
enum Console {
    private struct State {
        /// Until when output is waited for once the program was interrupted.
        var patience: ContinuousClock.Instant?
        var readerHasGone = false
        var onReaderGone: (@Sendable () -> Void)?
    }

    private static let state = Mutex(State())
    /// A write of this many bytes does not block where poll(2) says that there is room: PIPE_BUF of Linux.
    private static let chunk = 4096
    /// How often a blocked write looks whether the program was interrupted, in milliseconds.
    private static let lookInterval: Int32 = 100

    /// Writes results, of one or several lines, without characters that steer a terminal.
    static func print(_ lines: String) { write(lines.printableLines + "\n", to: STDOUT_FILENO) }

    /// Writes a JSON document on a line; characters that steer a terminal are escaped in it.
    static func printJSON(_ document: String) { write(document.printableJSON + "\n", to: STDOUT_FILENO) }

    /// Writes a file's path on a line: as it is for programs, without characters that steer for a terminal.
    static func printPath(_ path: String) {
        write((isatty(STDOUT_FILENO) == 1 ? path.printable : path) + "\n", to: STDOUT_FILENO)
    }

    /// Writes text that other programs read: as it is for them, without characters that steer for a terminal.
    static func printText(_ text: String) {
        write(isatty(STDOUT_FILENO) == 1 ? text.printableLines : text, to: STDOUT_FILENO)
    }

    /// Writes a message, of one or several lines, without characters that steer a terminal.
    static func error(_ message: String) { write(message.printableLines + "\n", to: STDERR_FILENO) }

    /// Writes a server's words: as they are for programs, harmless where they would steer a terminal.
    static func printBody(_ body: [UInt8]) {
        guard isatty(STDOUT_FILENO) == 1 else { return write(body, to: STDOUT_FILENO) }
        let text = String(decoding: body, as: UTF8.self).printableLines
        write(text.hasSuffix("\n") ? text : text + "\n", to: STDOUT_FILENO)
    }

    /// Writes text as it is; whole, unless the reader has gone or does not read after an interruption.
    static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    private static func write(_ all: [UInt8], to descriptor: Int32) {
        var bytes = all[...]
        while !bytes.isEmpty, awaitRoom(descriptor) {
            let count = bytes.prefix(chunk).withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0, errno == EINTR || errno == EAGAIN {
                continue
            } else {
                if count < 0, errno == EPIPE, descriptor == STDOUT_FILENO { readerHasGone() }
                return
            }
        }
    }

    // MARK: Endings

    /// Whether the program was interrupted.
    static var isInterrupted: Bool { state.withLock { $0.patience != nil } }

    /// From now on output is waited for one second at most: who interrupts a blocked pipeline wants it to end.
    static func interrupt() { state.withLock { $0.patience = $0.patience ?? .now + .seconds(1) } }

    /// Calls `handler` once, when a write finds that nobody reads standard output any more.
    static func whenReaderIsGone(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.onReaderGone = handler }
    }

    /// Whether nobody reads standard output any more, as far as it was tried.
    static var hasLostReader: Bool { state.withLock { $0.readerHasGone } }

    /// Looks out for the end of standard output's reader even while there is nothing to write.
    static func watchReader() {
        var status = stat()
        guard fstat(STDOUT_FILENO, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else { return }
        // A thread of its own: no port of Dispatch tells that a pipe's other end was closed.
        DispatchQueue(label: "transferctl.reader").async {
            var question = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&question, 1, -1) < 0, errno == EINTR {}
            if question.revents & Int16(POLLERR | POLLHUP) != 0 { readerHasGone() }
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

    /// Waits until something can be written.
    ///
    /// - Returns: false when the program was interrupted and its patience is over.
    private static func awaitRoom(_ descriptor: Int32) -> Bool {
        while true {
            let patience = state.withLock { $0.patience }
            var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let isOver = patience.map { $0 <= .now } ?? false
            // What is no room, an error or a reader that has gone, is for write(2) to tell.
            if poll(&question, 1, isOver ? 0 : lookInterval) > 0 { return true }
            if isOver { return false }
        }
    }

    // MARK: The terminal

    /// Whether the stream is a terminal that can move its cursor.
    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The terminal's width in columns; 80 where it does not say.
    static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The terminal's height in rows; 24 where it does not say.
    static func height(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }
}
