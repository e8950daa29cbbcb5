// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// The file that this process executes.
package enum OwnExecutable {
    /// The path of the file, from the kernel and not from the first argument, which a caller chooses.
    ///
    /// If the file was replaced or removed, this is the path that it had. Without `/proc`, this is the path that was
    /// executed, which may lead through symbolic links.
    package static let path: String = {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &target, target.count)
        guard length > 0 else { return transfer_executed_path().map { String(cString: $0) } ?? "" }
        return withoutMark(String(decoding: target.prefix(length), as: UTF8.self))
    }()

    /// Returns a target of `/proc/PID/exe` without the mark with which the kernel tells that the file was replaced or
    /// removed.
    package static func withoutMark(_ target: String) -> String {
        let mark = " (deleted)"
        return target.hasSuffix(mark) ? String(target.dropLast(mark.count)) : target
    }
}

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
