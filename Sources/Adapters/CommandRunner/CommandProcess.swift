// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation
import LinuxKernel

/// A process that executes a command, and waits for permission to begin.
///
/// The command shares this program's terminal, process group, environment, and open files.
struct CommandProcess {
    /// The process ID.
    let id: Int32
    private let permission: Int32
    private let failure: Int32

    /// The open files that this program did not inherit. They do not belong to the command.
    private static func closeOwnFiles(keeping inherited: Set<Int32>) {
        for number in openFiles() where !inherited.contains(number) {
            _ = fcntl(number, F_SETFD, fcntl(number, F_GETFD) | FD_CLOEXEC)
        }
    }

    /// Returns the numbers of the open files of this process.
    static func openFiles() -> Set<Int32> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.compactMap(Int32.init) ?? [])
    }

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - command: The program, which is sought in `PATH`, and its arguments.
    ///   - inherited: The open files that this program inherited.
    /// - Throws: `ChildProgram.StartError` if the system starts no process.
    init(_ command: [String], inheriting inherited: Set<Int32>) throws(FreezeError) {
        Self.closeOwnFiles(keeping: inherited)
        var (permissions, failures): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard transfer_pipe(&permissions) == 0, transfer_pipe(&failures) == 0 else {
            throw FreezeError.system("cannot create a pipe", errno)
        }
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        id = transfer_start_command(&words, permissions, failures[1])
        let code = errno
        close(permissions[0])
        close(failures[1])
        (permission, failure) = (permissions[1], failures[0])
        guard id > 0 else {
            close(permission)
            close(failure)
            throw FreezeError.system("cannot start a process", code)
        }
    }

    /// Lets the process execute its program.
    ///
    /// - Returns: The system's error number if the program cannot be executed; `nil` on success.
    func begin() -> Int32? {
        var byte: UInt8 = 1
        _ = write(permission, &byte, 1)
        close(permission)
        var code: Int32 = 0
        // The kernel closes the other end when it executes the program.
        var count = 0
        repeat { count = read(failure, &code, MemoryLayout<Int32>.size) } while count < 0 && errno == EINTR
        close(failure)
        return count == MemoryLayout<Int32>.size ? code : nil
    }
}
