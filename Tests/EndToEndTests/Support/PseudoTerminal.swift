// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A terminal of 80 by 24 with nobody before it: what a program writes is kept, what is typed goes to the program.
final class PseudoTerminal: Sendable {
    let path: String
    private let master: Int32
    private let slave: Int32
    private let text = Mutex("")

    init() throws {
        // pts(4); posix_openpt(3) and its kin are not in the view that Swift has of the C library.
        let (numberOf, lockOf): (UInt, UInt) = (0x8004_5430, 0x4004_5431)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, isLocked): (UInt32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, lockOf, &isLocked) == 0, ioctl(master, numberOf, &number) == 0 else {
            throw TestTrouble("there is no pseudo terminal to be had")
        }
        path = "/dev/pts/\(number)"
        // Held open, so that its settings can be asked for after the program's end.
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard slave >= 0, ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else {
            throw TestTrouble("\(path) cannot be opened")
        }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Whether keys come line by line and are shown, as a shell wants it.
    var isCooked: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    /// Everything that was written so far.
    var output: String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(master, &bytes, bytes.count), count > 0 {
            let new = String(decoding: bytes.prefix(count), as: UTF8.self)
            text.withLock { $0 += new }
        }
        return text.withLock { $0 }
    }

    func type(_ keys: String) { _ = keys.withCString { write(master, $0, strlen($0)) } }
}
