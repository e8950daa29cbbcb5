// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import ToolSupport
import TransferFiles
import TransferModel

/// The folder in which the files of a set wait for each other.
///
/// A new folder is staged beside its destination and appears by one rename. In an existing folder, the files are moved
/// after a mark was saved. A crash between the mark and the last move leaves the rest for the next run of the command.
///
/// Others may be able to write to the parent of the staging folder, and to rename and replace the staging folder at any
/// time. The folder is therefore private, opened once, and used through its descriptor. Transfers name the folder's
/// identity with its path, so they fail if another folder has its place.
struct StagedSet {
    /// The path of the finished set's folder.
    let destination: String
    /// The path of the folder that holds everything until the end.
    let staging: String
    /// The path of the folder that becomes, or is moved into, the destination.
    var files: String { staging + "/" + Self.filesName }
    private static let filesName = "files"
    private static let markName = "complete"
    private static let listName = "list.json"
    /// The open staging folder, and the open folder in which it is.
    private let folder: PrivateFolder
    private let parent: OwnedDescriptor
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
        let beside = ".\(url.lastPathComponent.prefix(100)).transfer-\(code)"
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: destination, isDirectory: &isFolder)
        guard !exists || isFolder.boolValue else {
            throw UsageError("'\(destination)' exists and is not a folder; use another --directory")
        }
        let above = url.deletingLastPathComponent().path
        // A run that was interrupted before the folder existed continues beside it.
        isNew = !exists || FileManager.default.fileExists(atPath: above + "/" + beside)
        do {
            try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
        } catch {
            throw UsageError("cannot create '\(above)': \(error.localizedDescription)")
        }
        parent = try Self.open(isNew ? above : destination)
        // Without symbolic links, which transfers into the folder do not follow.
        staging = Paths.join(
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(parent.number)"),
            isNew ? beside : ".transfer-\(code)")
        do throws(PathFault) {
            // Its name can be computed, so another user could have made it, with a list of files to delete or to trust.
            folder = try PrivateFolder(
                URL(fileURLWithPath: staging).lastPathComponent, in: parent.number, path: staging)
            try folder.contents.makeFolder(Self.filesName)
        } catch {
            throw Self.unusable(error)
        }
    }

    private static func unusable(_ fault: PathFault) -> UsageError {
        let remedy =
            switch fault.reason {
            case .foreignOwner: "use a --directory in a folder where only you can write"
            case .writable: "remove it, or make it private by 'chmod 700' if its content is yours"
            case .link, .notFolder: "remove it"
            case .failed: "use another --directory"
            }
        return UsageError("cannot stage files: \("\(fault)".printable); \(remedy)")
    }

    private static func open(_ path: String) throws -> OwnedDescriptor {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw UsageError("cannot open '\(path.printable)': \(String(cString: strerror(errno)))")
        }
        return OwnedDescriptor(descriptor)
    }

    // MARK: The list

    /// Saves the list of the set, and makes the folders of its files. Files of another list that are no longer right are
    /// removed.
    ///
    /// - Throws: `UsageError` that names the path with the fault.
    func adopt(_ set: FileSet) throws {
        if let before = savedList, before != set {
            let kept = Set(set.files)
            for file in before.files where !kept.contains(file) { remove(file) }
        }
        do throws(PathFault) {
            for folder in Set(set.files.map(\.folder)) { try self.folder.contents.makeFolder(Self.filesName + folder) }
        } catch {
            throw UsageError("cannot create a folder of the set (\("\(error)".printable)); use another --directory")
        }
        try write(JSONEncoder().encode(set), to: Self.listName)
    }

    private var savedList: FileSet? {
        read(Self.listName).flatMap { try? JSONDecoder().decode(FileSet.self, from: $0) }
    }

    /// The list of the interrupted run that staged all of its files. Reads the files that have not been moved.
    var completeList: FileSet? {
        guard open(Self.markName) != nil, let set = savedList else { return nil }
        guard set.files.allSatisfy({ open($0) == nil || isRight($0) }) else {
            folder.contents.remove(Self.markName)
            return nil
        }
        return set
    }

    // MARK: The files

    /// Returns the identity of a folder in the staging folder, or `nil` if it is missing. A transfer with the identity
    /// fails if another folder takes the place of this one.
    func identity(ofFolder path: String) -> FolderIdentity? {
        let name = path == staging ? "." : String(path.dropFirst(staging.count + 1))
        var status = stat()
        guard path == staging || path.hasPrefix(staging + "/"), let file = open(name),
            fstat(file.fileDescriptor, &status) == 0
        else { return nil }
        return FolderIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Returns whether a file is staged. Files arrive here by a rename, after their checksums were verified.
    func has(_ file: FileSet.File) -> Bool { open(file) != nil }

    /// Returns the files that are missing. Reads the files of an interrupted run that have a checksum, and removes those
    /// that are wrong.
    ///
    /// - Parameter advance: Called after each file.
    func missing(
        of set: FileSet, without present: Set<String>, advance: () -> Void = {}
    ) -> [FileSet.File] {
        set.files.filter { file in
            defer { advance() }
            return !present.contains(file.path) && !isRight(file)
        }
    }

    private func isRight(_ file: FileSet.File) -> Bool {
        guard let handle = open(file) else { return false }
        guard let checksum = file.checksum, checksum.hexDigest != Self.digest(checksum.algorithm, of: handle) else {
            return true
        }
        remove(file)
        return false
    }

    /// Removes a staged file.
    func remove(_ file: FileSet.File) { folder.contents.remove(Self.filesName + "/" + file.path) }

    /// Opens a staged file if it has the size of the list.
    private func open(_ file: FileSet.File) -> FileHandle? {
        guard let handle = open(Self.filesName + "/" + file.path), let size = Self.size(of: handle),
            file.size == nil || file.size == size
        else { return nil }
        return handle
    }

    private func open(_ path: String) -> FileHandle? {
        guard let descriptor = try? folder.contents.open(path, O_RDONLY | O_NONBLOCK) else { return nil }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns the size of a regular file of this user.
    private static func size(of handle: FileHandle) -> Int64? {
        var status = stat()
        guard fstat(handle.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// The path of a list of files, while it is downloaded.
    var downloadedList: String { staging + "/list" }

    /// Returns the content of the downloaded list, and removes the file.
    func takeDownloadedList() -> Data? {
        defer { folder.contents.remove("list") }
        return read("list")
    }

    private func read(_ name: String) -> Data? { open(name).flatMap { try? $0.readToEnd() ?? Data() } }

    private func write(_ data: Data, to name: String) throws {
        do {
            let descriptor = try folder.contents.open(name + ".new", O_WRONLY | O_CREAT | O_TRUNC)
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.synchronize()
            guard renameat(folder.descriptor, name + ".new", folder.descriptor, name) == 0 else {
                throw PathFault(path: staging + "/" + name, reason: .failed(errno))
            }
        } catch {
            throw UsageError("cannot write to '\(staging.printable)': \("\(error)".printable)")
        }
    }

    /// Returns the first file whose staged size is not that of the list, or `nil`.
    func fault(in set: FileSet, without present: Set<String>) -> FileSet.File? {
        set.files.first { !present.contains($0.path) && !has($0) }
    }

    // MARK: The end

    /// Moves the staged files to their destination, and removes the staging folder.
    ///
    /// - Throws: `UsageError` that names the path with the fault. The next run continues.
    func finish() throws {
        let name = URL(fileURLWithPath: destination).lastPathComponent
        let files: OwnedDescriptor
        do throws(PathFault) {
            files = OwnedDescriptor(try folder.contents.open(Self.filesName, O_RDONLY | O_DIRECTORY))
        } catch {
            throw UsageError("cannot open the staged files: \("\(error)".printable)")
        }
        if isNew {
            fsync(files.number)
            if renameat(folder.descriptor, Self.filesName, parent.number, name) == 0 {
                fsync(parent.number)
                return remove()
            }
            guard errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR else {
                throw UsageError("cannot create '\(destination)': \(String(cString: strerror(errno)))")
            }
            // Somebody has created the folder in the meantime.
        }
        try write(Data(), to: Self.markName)
        fsync(folder.descriptor)
        guard isNew else {
            try FileSetMove(from: files, to: parent, at: destination).perform()
            return remove()
        }
        let existing = openat(parent.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard existing >= 0 else {
            throw UsageError("cannot open '\(destination)': \(String(cString: strerror(errno)))")
        }
        try FileSetMove(from: files, to: OwnedDescriptor(existing), at: destination).perform()
        remove()
    }

    /// Removes the staging folder if it holds no files of an earlier run.
    func removeIfUnused() {
        if open(Self.listName) == nil { remove() }
    }

    /// Removes the staging folder, because nothing needs it.
    func remove() {
        folder.contents.removeAll()
        unlinkat(parent.number, URL(fileURLWithPath: staging).lastPathComponent, AT_REMOVEDIR)
    }
}

extension FileSet.File {
    /// The folder of the file below the set's folder: empty, or a path that begins with a slash.
    fileprivate var folder: String { path.lastIndex(of: "/").map { "/" + path[..<$0] } ?? "" }
}
