// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// A terminal that reads raw keys and shows whole screens. The terminal is restored at every end of the program except
/// SIGKILL.
final class WatchTerminal: Sendable {
    private let settings: termios
    private let isRaw = Mutex(false)
    // Guard: set in the initializer, canceled once, and only kept alive in between.
    private nonisolated(unsafe) let sources: [any DispatchSourceProtocol]

    /// Switches the terminal to raw keys and the alternate screen. Returns `nil` if standard input or output is not a
    /// terminal.
    ///
    /// - Parameter handler: A closure that receives keys and changes of the size, on the terminal's private queue.
    init?(handler: @escaping @Sendable (WatchEvent) -> Void) {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, Console.isTerminal(STDOUT_FILENO), tcgetattr(STDIN_FILENO, &settings) == 0
        else { return nil }
        self.settings = settings
        let queue = DispatchQueue(label: "transferctl.terminal")
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        keys.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // The terminal is gone, and so is its user.
            guard count > 0 else { return handler(.stopped) }
            for key in WatchKey.keys(in: Array(bytes.prefix(count))) { handler(.key(key)) }
        }
        let signals = [SIGWINCH, SIGCONT].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        sources = [keys] + signals
        for source in signals {
            source.setEventHandler { [weak self] in
                // After SIGCONT, the shell has used the terminal in the meantime.
                self?.enterRawMode()
                handler(.cleared)
            }
        }
        enterRawMode()
        for source in sources { source.resume() }
    }

    deinit { restore() }

    /// Switches to raw keys without echo. Ctrl-C stays a signal; Ctrl-Z is disabled, because the view fills the whole
    /// screen.
    private func enterRawMode() {
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

    /// Restores the terminal. Only the first call has an effect.
    func restore() {
        for source in sources { source.cancel() }
        guard isRaw.withLock({ isRaw in (isRaw, isRaw = false).0 }) else { return }
        Console.write("\u{1B}[?25h\u{1B}[?1049l", to: STDOUT_FILENO)
        var settings = settings
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
}
