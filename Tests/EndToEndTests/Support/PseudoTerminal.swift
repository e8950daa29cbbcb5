// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Synchronization

/// A terminal of 80 columns by 24 rows without a user. It keeps the program's output and passes typed keys to the
/// program.
final class PseudoTerminal: Sendable {
    let path: String
    private let master: Int32
    private let slave: Int32
    private let text = Mutex("")

    init() throws {
        // TIOCGPTN and TIOCSPTLCK of pts(4). Swift's import of the C library lacks posix_openpt(3) and its
        // companions.
        let (numberOf, lockOf): (UInt, UInt) = (0x8004_5430, 0x4004_5431)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, isLocked): (UInt32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, lockOf, &isLocked) == 0, ioctl(master, numberOf, &number) == 0 else {
            throw FixtureError("cannot open a pseudoterminal")
        }
        path = "/dev/pts/\(number)"
        // Kept open, so that the settings can be read after the program has ended.
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard slave >= 0, ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else {
            throw FixtureError("\(path) cannot be opened")
        }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// A Boolean value that indicates whether input is echoed and passed line by line, as a shell expects.
    var isCooked: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// The text that the program has written so far.
    var output: String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(master, &bytes, bytes.count), count > 0 {
            let new = String(decoding: bytes.prefix(count), as: UTF8.self)
            text.withLock { $0 += new }
        }
        return text.withLock { $0 }
    }

    /// Waits until the program has written a text that satisfies `condition`.
    func waitUntil(_ what: String, within seconds: Double = 60, _ condition: (String) -> Bool) async throws {
        do {
            try await ProcessFixtures.waitUntil(what, within: seconds, watching: .readable(master)) {
                condition(output)
            }
        } catch { throw FixtureError("\(error)\n\(output.suffix(2000))") }
    }

    func type(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }
}
