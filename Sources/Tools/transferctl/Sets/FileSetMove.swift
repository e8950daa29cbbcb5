// SPDX-License-Identifier: Apache-2.0
import Glibc
import ToolSupport

/// The move of all files below a folder into another folder.
///
/// No symbolic link below the destination is followed, because another program may have placed it.
struct FileSetMove {
    private let source: String
    private let destination: String

    init(from source: String, to destination: String) { (self.source, self.destination) = (source, destination) }

    /// Moves the files. A second call moves those that are left.
    ///
    /// - Throws: `UsageError` that names the path with the fault.
    func perform() throws {
        let (from, to) = (open(source, Self.flags), open(destination, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        defer {
            close(from)
            close(to)
        }
        guard from >= 0, to >= 0 else { throw fault("open", from < 0 ? source : destination) }
        try move(from, to, path: destination)
    }

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW

    private func move(_ from: Int32, _ to: Int32, path: String) throws {
        for (name, isFolder) in try entries(of: from) {
            let inner = path + "/" + name
            guard isFolder else {
                guard renameat(from, name, to, name) == 0 else { throw fault("create", inner) }
                continue
            }
            guard mkdirat(to, name, 0o777) == 0 || errno == EEXIST else { throw fault("create", inner) }
            let (innerFrom, innerTo) = (openat(from, name, Self.flags), openat(to, name, Self.flags))
            defer {
                close(innerFrom)
                close(innerTo)
            }
            guard innerFrom >= 0, innerTo >= 0 else { throw fault("open", inner) }
            try move(innerFrom, innerTo, path: inner)
            unlinkat(from, name, AT_REMOVEDIR)
        }
        guard fsync(to) == 0 else { throw fault("save", path) }
    }

    /// Returns the names in a folder, and whether each is a folder.
    private func entries(of folder: Int32) throws -> [(name: String, isFolder: Bool)] {
        // The stream owns its descriptor.
        guard let stream = fdopendir(openat(folder, ".", Self.flags)) else { throw fault("read", source) }
        defer { closedir(stream) }
        var entries: [(name: String, isFolder: Bool)] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            entries.append((name, Int32(entry.pointee.d_type) == Int32(DT_DIR)))
        }
        return entries.sorted { $0.name < $1.name }
    }

    private func fault(_ what: String, _ path: String) -> UsageError {
        UsageError("cannot \(what) '\(path)': \(String(cString: strerror(errno))); run the command again to continue")
    }
}
