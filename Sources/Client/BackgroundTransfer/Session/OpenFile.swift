// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An open file descriptor that is closed when its owner is released.
package final class OpenFile: Sendable {
    package let number: Int32

    /// Takes ownership of an open descriptor.
    init(taking number: Int32) { self.number = number }

    /// Opens a file for reading. Returns `nil` if the file cannot be opened. A pipe does not block the caller.
    package init?(_ path: String) {
        number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return nil }
    }

    deinit { close(number) }
}
