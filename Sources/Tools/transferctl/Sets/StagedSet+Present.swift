// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferFiles
import TransferModel

/// The comparison of a set with the files in its destination.
extension StagedSet {
    /// The state of a set's files in their destination.
    enum Present: Hashable {
        /// No file of the set is there.
        case none
        /// All files are there, with the right checksums.
        case all
        /// Another file has the name of a file of the set.
        case conflict(String)
        /// Some files are there, with the right checksums.
        case some(Set<String>)
    }

    /// Compares the destination with a set. Reads all files that are there and have a checksum.
    ///
    /// - Parameter advance: Called after each file.
    func present(_ set: FileSet, advance: () -> Void = {}) -> Present {
        var right: Set<String> = []
        for file in set.files {
            defer { advance() }
            let path = destination + "/" + file.path
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            guard status.st_mode & S_IFMT == S_IFREG, file.size == nil || file.size == Int64(status.st_size),
                let checksum = file.checksum, let handle = FileHandle(forReadingAtPath: path),
                Self.digest(checksum.algorithm, of: handle) == checksum.hexDigest
            else { return .conflict(file.path) }
            right.insert(file.path)
        }
        return right.isEmpty ? .none : right.count == set.files.count ? .all : .some(right)
    }

    /// Returns the checksum of an open file in hexadecimal digits, or `nil` if the file cannot be read.
    static func digest(_ algorithm: Checksum.Algorithm, of file: FileHandle) -> String? {
        var digest = Digest(algorithm == .sha256 ? .sha256 : .sha512)
        do {
            while let block = try file.read(upToCount: 1 << 20), !block.isEmpty {
                block.withUnsafeBytes { digest.update($0) }
            }
        } catch {
            return nil
        }
        return digest.hexDigest
    }
}
