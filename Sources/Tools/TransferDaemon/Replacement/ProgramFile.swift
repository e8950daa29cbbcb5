// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel

/// The executable file of the running program, which a package manager replaces while the program runs.
struct ProgramFile: Sendable {
    /// The properties that tell two files at one path apart.
    private struct Identity: Hashable {
        var device: UInt
        var number: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int

        /// Returns `nil` if there is no regular file at the path.
        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            (device, number, size) = (UInt(status.st_dev), UInt(status.st_ino), Int(status.st_size))
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    /// The path at which the program was started, without symbolic links.
    let path: String
    private let identity: Identity

    /// Describes the program of this process, or of another process. Returns `nil` if `/proc` does not show the program.
    ///
    /// - Parameter process: The process ID, or `self`.
    init?(of process: String = "self") {
        let link = "/proc/\(process)/exe"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
            let identity = Identity(of: link)
        else { return nil }
        // The file may have been replaced before this line.
        path = OwnExecutable.withoutMark(target)
        self.identity = identity
    }

    /// Describes the file that is at a path now, as if it were the running program. For tests.
    init?(at path: String) {
        guard let identity = Identity(of: path) else { return nil }
        (self.path, self.identity) = (path, identity)
    }

    /// Whether another file is at the path. A removed file counts as not replaced: there is nothing to continue with.
    var isReplaced: Bool { Identity(of: path).map { $0 != identity } ?? false }

    /// Watches the path. Returns `nil` if the kernel does not allow it.
    ///
    /// - Parameter onChange: Called on a separate thread after each change of the file.
    func watch(onChange: @escaping @Sendable () -> Void) -> FolderWatch? {
        FolderWatch(of: path, onChange: onChange)
    }
}
