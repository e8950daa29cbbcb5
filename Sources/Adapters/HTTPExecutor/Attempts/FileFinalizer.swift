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

    /// Verifies the file, and begins to place it with the help of another process. Returns `false` and does nothing if
    /// this process must read or place the file itself.
    func begin(completion: @escaping @Sendable (Result) -> Void) -> Bool {
        guard checksum == nil || hasher != nil, !file.isSyncing else { return false }
        do throws(FileFailure) {
            if let result = try verify(isStopping: { false }) {
                completion(result)
                return true
            }
        } catch {
            completion(.file(error))
            return true
        }
        return files.beginAdopting(file, as: serverFile, size: size) { completion(result(of: $0)) }
    }

    /// Verifies and places the file. Must run on a queue that may wait for the disk.
    func run(isStopping: () -> Bool) -> Result {
        do throws(FileFailure) {
            if let result = try verify(isStopping: isStopping) { return result }
            return result(of: .success(try files.adopt(file, as: serverFile, size: size)))
        } catch {
            return .file(error)
        }
    }

    private func result(of adoption: Swift.Result<CompletedFile?, FileFailure>) -> Result {
        switch adoption {
        case .success(let completed?): .placed(completed, status: serverFile.finalStatus)
        case .success(nil): .wrong(.partialFileChanged(file.path))
        case .failure(let failure): .file(failure)
        }
    }

    /// The checksum that the file must have; `nil` for a server's error page.
    private var checksum: Checksum? { serverFile.status < 400 ? specification.checksum : nil }

    /// Returns the result for a file that must not be placed; `nil` if the file is correct.
    private func verify(isStopping: () -> Bool) throws(FileFailure) -> Result? {
        guard file.size == size else { return .wrong(.partialFileChanged(file.path)) }
        guard let checksum else { return nil }
        guard let digest = try digest(checksum.algorithm, isStopping) else { return .stopped }
        return digest == checksum.hexDigest ? nil : .wrong(mismatch(checksum, digest))
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
