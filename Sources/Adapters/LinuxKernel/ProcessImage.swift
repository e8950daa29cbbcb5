// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// The program of this process, which can be replaced by another program without a new process (execve(2)).
package enum ProcessImage {
    /// Continues this process as another program. Returns only if that fails.
    ///
    /// The process ID, the children, the environment, and the standard files stay. All other files are closed, except
    /// those that the program is given. SIGTERM and SIGINT act by default until the program handles them, and no signal
    /// is blocked: Dispatch's threads block most signals, and the program would inherit that.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - arguments: The program's arguments; the first is its name.
    ///   - files: The open files that the program receives under the same numbers.
    /// - Returns: The reason for the failure, as the system describes it.
    package static func replace(with path: String, _ arguments: [String], keeping files: [Int32]) -> String {
        transfer_close_on_exec()
        for file in files { _ = fcntl(file, F_SETFD, 0) }
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        execv(path, &words)
        return String(cString: strerror(errno))
    }

    /// Creates a file in memory with the given contents, for a program that continues this process. Returns the
    /// descriptor; `nil` if the system has no memory for the file.
    package static func file(containing bytes: [UInt8]) -> Int32? {
        let file = transfer_anonymous_file("continued")
        guard file >= 0 else { return nil }
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count else {
            close(file)
            return nil
        }
        return file
    }

    /// Reads the whole of an open file from its start.
    package static func contents(of file: Int32) -> [UInt8] {
        var (all, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = pread(file, &bytes, bytes.count, off_t(all.count)), count > 0 { all += bytes[..<count] }
        return all
    }
}
