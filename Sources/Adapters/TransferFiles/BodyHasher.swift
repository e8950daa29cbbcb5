// SPDX-License-Identifier: Apache-2.0
import Crypto
import Glibc
package import TransferModel

/// An incremental digest of a body.
package struct BodyHasher {
    private var hash: any HashFunction & Sendable

    package init(_ algorithm: Checksum.Algorithm) {
        switch algorithm {
        case .sha256: hash = SHA256()
        case .sha512: hash = SHA512()
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bufferPointer: bytes) }

    /// The digest of the bytes so far in lowercase hexadecimal.
    package var hexDigest: String { Self.hex(hash.finalize()) }

    /// Returns the bytes in lowercase hexadecimal.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Adds the whole file to the digest. Returns `false` if `isCancelled` returned `true` before the end of the
    /// file.
    package mutating func read(_ file: PartialFile, isCancelled: () -> Bool) throws(FileFailure) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while !isCancelled() {
            let count = try calling("read", file.path) {
                pread(file.descriptor, buffer.baseAddress, buffer.count, offset)
            }
            if count == 0 { return true }
            update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += off_t(count)
        }
        return false
    }
}
