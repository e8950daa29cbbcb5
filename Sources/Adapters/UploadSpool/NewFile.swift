// SPDX-License-Identifier: Apache-2.0
internal import CLinuxFiles
internal import Glibc
internal import TransferSessions

/// A file in the spool that is being written.
final class NewFile {
    /// The number of bytes between two checks for cancellation: 64 MiB.
    static let piece: Int64 = 64 << 20

    let descriptor: Int32
    private let path: String

    init(_ name: String, in folder: SpoolFolder) throws(SourceSpoolError) {
        path = folder.path
        descriptor = openat(
            folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw SpoolFolder.unavailable(path, errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes of another file, within the kernel if possible.
    ///
    /// - Returns: The number of appended bytes, at least 1.
    func append(
        from source: Int32, at offset: Int64, upTo count: Int64, _ displayName: String
    ) throws(SourceSpoolError) -> Int64 {
        let copied = linux_copy_range(source, descriptor, offset, UInt(count))
        if copied > 0 { return Int64(copied) }
        if copied < 0, errno == ENOSPC || errno == EDQUOT { throw SpoolFolder.unavailable(path, errno) }
        // Not every file system supports `copy_file_range`; some report that by returning 0.
        return try appendByBuffer(from: source, at: offset, upTo: count, displayName)
    }

    private func appendByBuffer(
        from source: Int32, at offset: Int64, upTo count: Int64, _ displayName: String
    ) throws(SourceSpoolError) -> Int64 {
        let size = Int(min(count, 1 << 20))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var readCount = 0
        repeat {
            readCount = pread(source, buffer.baseAddress, size, off_t(offset))
        } while readCount < 0 && errno == EINTR
        guard readCount >= 0 else {
            throw SourceSpoolError(.unusable, "\(displayName) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard readCount > 0 else {
            throw SourceSpoolError(.unusable, "\(displayName) was truncated during the copy. Submit the upload again.")
        }
        var written = 0
        while written < readCount {
            let count = pwrite(
                descriptor, buffer.baseAddress?.advanced(by: written), readCount - written,
                off_t(offset) + off_t(written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SpoolFolder.unavailable(path, errno) }
            written += count
        }
        return Int64(readCount)
    }

    /// Makes the content durable and returns the file's size and modification time.
    func sync() throws(SourceSpoolError) -> OpenSource.Facts {
        var status = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
            throw SpoolFolder.unavailable(path, errno)
        }
        return OpenSource.Facts(status)
    }
}
