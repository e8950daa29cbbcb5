// SPDX-License-Identifier: Apache-2.0
import Glibc
import TransferEngine
import TransferPolicy

/// Checks a complete partial file and makes it the finished one.
struct Finisher: @unchecked Sendable {
    // Guard: made on one queue, used once on another.
    enum Result: Sendable {
        case placed(CompletedFile, status: Int)
        case stopped
        case wrong(TransferFailure)
        case file(FileFailure)
    }

    var file: PartialFile
    /// The digest of all bytes, where they all came in this attempt.
    var hasher: BodyHasher?
    var specification: TransferSpecification
    var serverFile: ServerFile
    var name: String
    var size: Int64

    /// Runs where waiting for the disk is allowed.
    func run(isStopping: () -> Bool) -> Result {
        do throws(FileFailure) {
            // Without its name it cannot be given another; and what has that name now is somebody else's.
            guard file.size == size, file.hasItsName else {
                return .wrong(.partialFileChanged(file.path))
            }
            if serverFile.status < 400, let checksum = specification.checksum {
                guard let digest = try digest(checksum.algorithm, isStopping) else { return .stopped }
                if digest != checksum.hexDigest { return .wrong(mismatch(checksum, digest)) }
            }
            let modified = specification.usesRemoteTime ? serverFile.lastModified.flatMap(Self.nanoseconds) : nil
            let folder = DestinationFolder(specification)
            try folder.attributes.apply(to: file.descriptor, path: file.path, modified: modified)
            if let failure = file.syncNow(to: size, withFacts: true) { throw failure }
            let path = try folder.adopt(file, name: name, (status, serverFile.version))
            let final = FileFacts(path: path)
            let completed = CompletedFile(
                path: path, bytes: size, modified: final?.modified ?? 0, validator: serverFile.version)
            return .placed(completed, status: status)
        } catch {
            return .file(error)
        }
    }

    /// The date in nanoseconds since 1970; nil where it is none, or one that no file can have.
    static func nanoseconds(_ date: String) -> Int64? {
        guard let seconds = HTTPDate.seconds(date) else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : product
    }

    /// The ranges were our own affair: what the app asked for came whole.
    private var status: Int { serverFile.status == 206 ? 200 : serverFile.status }

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
