// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A descriptor that is closed with its owner.
package final class OpenFile: Sendable {
    package let number: Int32

    /// Takes over an open descriptor.
    init(taking number: Int32) { self.number = number }

    /// Opens a file for reading; nil if that is not possible. A pipe does not make the caller wait.
    package init?(_ path: String) {
        number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return nil }
    }

    deinit { close(number) }
}
