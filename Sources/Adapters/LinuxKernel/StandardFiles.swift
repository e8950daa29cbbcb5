// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The standard input, output, and error of this process.
package enum StandardFiles {
    /// Opens the null device in place of each standard file that is closed. Call before anything else opens a file.
    ///
    /// A closed number would go to the next file that is opened, such as a queue or a socket, and messages would be
    /// written into it. Input cannot be read and results cannot be written, so that nothing seems to succeed; messages
    /// are lost.
    package static func replaceMissing() {
        for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(file, F_GETFD) < 0 {
            // The kernel assigns the lowest free number, and all lower ones are open.
            _ = open("/dev/null", mode)
        }
    }
}
