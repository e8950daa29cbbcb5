// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import TransferModel

/// Verifies a complete partial file and turns it into the finished file.
struct FileFinalizer: Sendable {
    enum Result: Sendable {
        case placed(CompletedFile, status: Int)
        case stopped
        case wrong(TransferFailure)
        case file(FileFailure)
    }

    var files: any AttemptFiles
    var file: PartialFile
    /// The digest of all bytes, or `nil` if some bytes arrived in an earlier attempt or out of order.
    var hasher: BodyHasher?
    var specification: TransferSpecification
    var serverFile: ServerFile
    var size: Int64

    /// Verifies and places the file. Must run on a queue that may wait for the disk.
    func run(isStopping: () -> Bool) -> Result {
        do throws(FileFailure) {
            guard file.size == size else { return .wrong(.partialFileChanged(file.path)) }
            if serverFile.status < 400, let checksum = specification.checksum {
                guard let digest = try digest(checksum.algorithm, isStopping) else { return .stopped }
                if digest != checksum.hexDigest { return .wrong(mismatch(checksum, digest)) }
            }
            guard let completed = try files.adopt(file, as: serverFile, size: size) else {
                return .wrong(.partialFileChanged(file.path))
            }
            return .placed(completed, status: serverFile.finalStatus)
        } catch {
            return .file(error)
        }
    }

    private func digest(_ algorithm: Checksum.Algorithm, _ isStopping: () -> Bool) throws(FileFailure) -> String? {
        if let hasher { return hasher.hexDigest }
        var whole = BodyHasher(algorithm)
        return try whole.read(file, isCancelled: isStopping) ? whole.hexDigest : nil
    }

    private func mismatch(_ checksum: Checksum, _ digest: String) -> TransferFailure {
        let name = checksum.algorithm.rawValue
        let message = "The file's \(name) is \(digest); expected \(checksum.hexDigest)."
        return TransferFailure(cause: .checksumMismatch, message: message)
    }
}

extension TransferFailure {
    /// The failure for a partial file that another program removed, replaced, truncated, or extended. The next
    /// attempt examines the file again.
    static func partialFileChanged(_ path: String) -> TransferFailure {
        TransferFailure(cause: .connection, message: "Another program changed the partial file \(path).")
    }
}
