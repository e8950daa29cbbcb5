// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A program that is installed with this program.
package enum SiblingProgram {
    /// Returns the path of a program beside this executable or in `../libexec/background-transfer`; `nil` if there is none.
    package static func path(of name: String) -> String? {
        guard let executable = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(executable) }
        let path = String(cString: executable)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return ["\(folder)/\(name)", "\(folder)/../libexec/background-transfer/\(name)"].first(where: isExecutable)
    }

    /// Returns whether a path leads to a regular file that this process may execute. Sets `errno` if it does not.
    package static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = EACCES
            return false
        }
        return access(path, X_OK) == 0
    }
}
