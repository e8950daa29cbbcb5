// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import TransferModel

/// Checks a complete partial file and makes it the finished one.
struct FileFinalizer: Sendable {
    enum Result: Sendable {
        case placed(CompletedFile, status: Int)
        case stopped
        case wrong(TransferFailure)
        case file(FileFailure)
    }

    var files: any AttemptFiles
    var file: PartialFile
    /// The digest of all bytes, where they all came in this attempt.
    var hasher: BodyHasher?
    var specification: TransferSpecification
    var serverFile: ServerFile
    var size: Int64

    /// Runs where waiting for the disk is allowed.
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
        let message = "The file's \(name) is \(digest), not \(checksum.hexDigest) as asked for."
        return TransferFailure(cause: .checksumMismatch, message: message)
    }
}

extension TransferFailure {
    /// Somebody removed, replaced, cut or lengthened the partial file; the next attempt goes by what is there.
    static func partialFileChanged(_ path: String) -> TransferFailure {
        TransferFailure(cause: .connection, message: "The partial file \(path) was changed by somebody else.")
    }
}
