// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// A terminal as a canvas for whole screens, which reads raw keys. The terminal is restored at every end of the
/// program except SIGKILL.
final class WatchTerminal: Sendable {
    private let savedTerminal: SavedTerminal
    // Guard: set in the initializer, canceled once, and only kept alive in between.
    private nonisolated(unsafe) let sources: [any DispatchSourceProtocol]
    private let canvas: Canvas

    /// Switches the terminal to raw keys and the alternate screen. Returns `nil` if standard input or output is not a
    /// terminal.
    ///
    /// - Parameter handler: A closure that receives keys and changes of the size, on the terminal's private queue.
    init?(handler: @escaping @Sendable (WatchEvent) -> Void) {
        guard isatty(STDIN_FILENO) == 1, Console.isTerminal(STDOUT_FILENO), let savedTerminal = SavedTerminal() else {
            return nil
        }
        self.savedTerminal = savedTerminal
        let canvas = Canvas()
        self.canvas = canvas
        let queue = DispatchQueue(label: "transferctl.terminal")
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        keys.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // The terminal is gone, and so is its user.
            guard count > 0 else { return handler(.stopped) }
            for key in WatchKey.keys(in: Array(bytes.prefix(count))) { handler(.key(key)) }
        }
        signal(SIGWINCH, SIG_IGN)
        signal(SIGCONT, SIG_IGN)
        let sizeSignal = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        let continueSignal = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
        sources = [keys, sizeSignal, continueSignal]
        sizeSignal.setEventHandler {
            canvas.drawn.withLock { $0 = [] }
            handler(.redraw)
        }
        // The program was stopped and continued. The shell has used the terminal in the meantime.
        continueSignal.setEventHandler {
            savedTerminal.enterRawMode()
            canvas.drawn.withLock { $0 = [] }
            handler(.redraw)
        }
        savedTerminal.enterRawMode()
        keys.resume()
        sizeSignal.resume()
        continueSignal.resume()
    }

    deinit { restore() }

    /// Restores the terminal. Only the first call has an effect.
    func restore() {
        for source in sources { source.cancel() }
        savedTerminal.restore()
    }

    /// Shows a screen. Writes only the lines that differ from the previous screen, in a single write.
    func draw(_ lines: [String]) {
        let text = canvas.drawn.withLock { drawn -> String in
            var text = drawn.isEmpty ? "\u{1B}[2J" : ""
            for row in 0..<max(lines.count, drawn.count) {
                let line = row < lines.count ? lines[row] : ""
                guard row >= drawn.count || drawn[row] != line else { continue }
                text += "\u{1B}[\(row + 1);1H\u{1B}[2K" + line
            }
            drawn = lines
            return text
        }
        if !text.isEmpty { Console.write(text, to: STDOUT_FILENO) }
    }
}

/// The lines on the screen.
private final class Canvas: Sendable {
    let drawn = Mutex<[String]>([])
}

/// The original settings of the terminal, to be restored.
private final class SavedTerminal: Sendable {
    private let settings: termios
    private let isRaw = Mutex(false)

    init?() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        self.settings = settings
    }

    /// Switches to raw keys without echo. Ctrl-C stays a signal; Ctrl-Z is disabled, because the view fills the whole
    /// screen.
    func enterRawMode() {
        isRaw.withLock { $0 = true }
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
        raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
            characters[Int(VSUSP)] = 0
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        // The alternate screen, with the cursor hidden.
        Console.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J", to: STDOUT_FILENO)
    }

    func restore() {
        guard
            isRaw.withLock({ isRaw in
                defer { isRaw = false }
                return isRaw
            })
        else { return }
        Console.write("\u{1B}[?25h\u{1B}[?1049l", to: STDOUT_FILENO)
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
}
