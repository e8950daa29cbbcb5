// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// Writes small files so that a power cut leaves either the former or the new content.
package enum DurableFile {
    /// Replaces the content of a file. Returns after the new content is on disk.
    ///
    /// - Parameters:
    ///   - data: The new content.
    ///   - path: The absolute path of the file. Only the user may read the file.
    ///   - sync: Makes the content of an open file durable. Returns 0 on success.
    /// - Throws: `CocoaError` or `POSIXError`. The former content is still there then.
    package static func write(
        _ data: Data, to path: String, sync: (Int32) -> Int32 = { fsync($0) }
    ) throws {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw lastError() }
        do {
            defer { close(descriptor) }
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
            guard sync(descriptor) == 0 else { throw lastError() }
            guard rename(new, path) == 0 else { throw lastError() }
        } catch {
            unlink(new)
            throw error
        }
        syncFolder(of: path)
    }

    /// Makes the creation or removal of a file survive a power cut. Some file systems do not support this, and then
    /// nothing more can be done.
    package static func syncFolder(of path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func lastError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
