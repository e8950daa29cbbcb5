// SPDX-License-Identifier: Apache-2.0
import Glibc
package import TransferModel

/// An incremental digest of a body.
package struct BodyHasher: Sendable {
    private var digest: Digest

    package init(_ algorithm: Checksum.Algorithm) {
        switch algorithm {
        case .sha256: digest = Digest(.sha256)
        case .sha512: digest = Digest(.sha512)
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { digest.update(bytes) }

    /// The digest of the bytes so far in lowercase hexadecimal.
    package var hexDigest: String { digest.hexDigest }

    /// Adds the whole file to the digest. Returns `false` if `isCancelled` returned `true` before the end of the
    /// file.
    package mutating func read(_ file: PartialFile, isCancelled: () -> Bool) throws(FileFailure) -> Bool {
        try read(file.descriptor, path: file.path, isCancelled: isCancelled)
    }

    /// Adds the whole of an open file to the digest, as ``read(_:isCancelled:)`` does. `path` is for error messages.
    mutating func read(
        _ descriptor: Int32, path: String, isCancelled: () -> Bool
    ) throws(FileFailure) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while !isCancelled() {
            let count = try calling("read", path) {
                pread(descriptor, buffer.baseAddress, buffer.count, offset)
            }
            if count == 0 { return true }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += off_t(count)
        }
        return false
    }
}
