// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferFiles
import TransferModel

/// The folder in which the files of a set wait for each other.
///
/// A new folder is staged beside its destination and appears by one rename. In an existing folder, the files are moved
/// after a mark was saved. A crash between the mark and the last move leaves the rest for the next run of the command.
struct StagedSet {
    /// The folder of the finished set.
    let destination: String
    /// The folder that holds everything until the end.
    let staging: String
    /// The folder that becomes, or is moved into, the destination.
    var files: String { staging + "/files" }
    private var mark: String { staging + "/complete" }
    private var listPath: String { staging + "/list.json" }
    private let isNew: Bool

    /// Finds or creates the staging folder.
    ///
    /// - Parameters:
    ///   - destination: The absolute path of the finished set's folder.
    ///   - source: The text that names the set. The same text finds the files of an interrupted run.
    /// - Throws: `UsageError` if the destination is not a folder, if the folder cannot be created, or if others could have
    ///   made or changed it.
    init(destination: String, source: String) throws {
        var destination = destination
        while destination.count > 1, destination.hasSuffix("/") { destination.removeLast() }
        self.destination = destination
        let url = URL(fileURLWithPath: destination)
        let code = ContentDigest.sha256(of: source + "\0" + destination).prefix(12)
        let beside = url.deletingLastPathComponent().path + "/.\(url.lastPathComponent.prefix(100)).transfer-\(code)"
        let inside = destination + "/.transfer-\(code)"
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: destination, isDirectory: &isFolder)
        guard !exists || isFolder.boolValue else {
            throw UsageError("'\(destination)' exists and is not a folder; use another --directory")
        }
        // A run that was interrupted before the folder existed continues beside it.
        isNew = !exists || FileManager.default.fileExists(atPath: beside)
        staging = isNew ? beside : inside
        do {
            let parent = URL(fileURLWithPath: staging).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            // Its name can be computed, so another user could have made it, with a list of files to delete or to trust.
            try PrivateFolder.claim(staging)
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError("cannot create '\(staging)': \(error.localizedDescription)")
        }
    }

    /// A Boolean value that indicates whether all files are staged, and only moves are missing.
    var isComplete: Bool { FileManager.default.fileExists(atPath: mark) }

    // MARK: The list

    /// Saves the list of the set. Files of another list that are no longer right are removed.
    func adopt(_ set: FileSet) throws {
        if let data = FileManager.default.contents(atPath: listPath),
            let before = try? JSONDecoder().decode(FileSet.self, from: data), before != set
        {
            let kept = Set(set.files)
            for file in before.files where !kept.contains(file) { unlink(files + "/" + file.path) }
        }
        try JSONEncoder().encode(set).write(to: URL(fileURLWithPath: listPath), options: .atomic)
    }

    /// The list of the interrupted run that staged all of its files.
    var completeList: FileSet? {
        guard isComplete, let data = FileManager.default.contents(atPath: listPath) else { return nil }
        return try? JSONDecoder().decode(FileSet.self, from: data)
    }

    /// Returns whether a file is staged. Files arrive here by a rename, after their checksums were verified.
    func has(_ file: FileSet.File) -> Bool {
        guard let size = Self.size(of: files + "/" + file.path) else { return false }
        return file.size == nil || file.size == size
    }

    private static func size(of path: String) -> Int64? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    // MARK: The destination

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
    func present(_ set: FileSet) -> Present {
        var right: Set<String> = []
        for file in set.files {
            let path = destination + "/" + file.path
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            guard let checksum = file.checksum, let size = Self.size(of: path), file.size == nil || file.size == size,
                Self.digest(checksum.algorithm, ofFileAt: path) == checksum.hexDigest
            else { return .conflict(file.path) }
            right.insert(file.path)
        }
        return right.isEmpty ? .none : right.count == set.files.count ? .all : .some(right)
    }

    private static func digest(_ algorithm: Checksum.Algorithm, ofFileAt path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
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

    /// Returns the first file whose staged size is not that of the list, or `nil`.
    func fault(in set: FileSet, without present: Set<String>) -> String? {
        set.files.first { !present.contains($0.path) && !has($0) }?.path
    }

    // MARK: The end

    /// Moves the staged files to their destination, and removes the staging folder.
    ///
    /// - Throws: `UsageError` that names the path with the fault. The next run continues.
    func finish() throws {
        if isNew {
            Self.sync(files)
            if rename(files, destination) == 0 {
                Self.sync(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
                try? FileManager.default.removeItem(atPath: staging)
                return
            }
            guard errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR else {
                throw UsageError("cannot create '\(destination)': \(String(cString: strerror(errno)))")
            }
            // Somebody has created the folder in the meantime.
        }
        guard FileManager.default.createFile(atPath: mark, contents: nil) else {
            throw UsageError("cannot write to '\(staging)': \(String(cString: strerror(errno)))")
        }
        Self.sync(staging)
        try FileSetMove(from: files, to: destination).perform()
        try? FileManager.default.removeItem(atPath: staging)
    }

    /// Removes the staging folder if it holds no files of an earlier run.
    func removeIfUnused() {
        if !FileManager.default.fileExists(atPath: listPath) { remove() }
    }

    /// Removes the staging folder, because nothing needs it.
    func remove() { try? FileManager.default.removeItem(atPath: staging) }

    private static func sync(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
