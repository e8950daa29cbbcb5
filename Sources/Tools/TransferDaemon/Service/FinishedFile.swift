// SPDX-License-Identifier: Apache-2.0
import Glibc
import TransferBusProtocol
import TransferBusServer

/// The file of a finished download, opened for a program that cannot reach it.
enum FinishedFile {
    /// Opens a finished file for reading. Does not follow a link or block on a pipe that has replaced the file.
    ///
    /// - Throws: `BusFault` with `invalidArgument` if the file cannot be opened or is not a regular file.
    static func open(_ path: String) throws -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 || errno != ENOENT else {
            throw BusFault(.invalidArgument, "the file is gone: it was moved or removed after the download")
        }
        guard descriptor >= 0 else {
            throw BusFault(.invalidArgument, "cannot open the file: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            throw BusFault(.invalidArgument, "the file is no longer a regular file")
        }
        return descriptor
    }
}
