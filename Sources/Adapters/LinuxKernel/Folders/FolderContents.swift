// SPDX-License-Identifier: Apache-2.0
import Glibc

extension PrivateFolder {
    /// The files in the folder. They can be used while the folder is open.
    package var contents: FolderContents { FolderContents(descriptor: descriptor, path: path) }
}

/// The files below an open folder, reached through its descriptor. Nothing here depends on the path of the folder.
package struct FolderContents: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates a value for an open folder.
    ///
    /// - Parameters:
    ///   - descriptor: The open folder. The caller keeps it open.
    ///   - path: The path of the folder, for messages.
    package init(descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

    /// Opens or creates a file. No symbolic link is followed.
    ///
    /// - Parameters:
    ///   - path: The path below the folder, without `..`.
    ///   - flags: The flags of open(2).
    ///   - mode: The mode of a new file.
    /// - Throws: `PathFault` if the file cannot be opened.
    /// - Returns: A descriptor, which the caller closes.
    package func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) throws(PathFault) -> Int32 {
        try inFolder(of: path) { folder, name in openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, mode) }
    }

    /// Makes a folder, and the missing folders above it. No symbolic link is followed.
    ///
    /// - Parameters:
    ///   - path: The path below the folder, without `..`.
    ///   - mode: The mode of new folders, by default the one that other programs give them.
    /// - Throws: `PathFault` if the folder cannot be made.
    package func makeFolder(_ path: String, mode: UInt32 = 0o777) throws(PathFault) {
        _ = try inFolder(of: path, making: mode) { folder, name in
            mkdirat(folder, name, mode) == 0 || errno == EEXIST ? 0 : -1
        }
    }

    /// Removes a file, and does nothing if the file is missing. No symbolic link is followed.
    ///
    /// - Parameter path: The path below the folder, without `..`.
    package func remove(_ path: String) {
        _ = try? inFolder(of: path) { folder, name in unlinkat(folder, name, 0) }
    }

    /// Removes everything in the folder.
    package func removeAll() {
        for (name, isFolder) in (try? names()) ?? [] {
            guard isFolder else {
                unlinkat(descriptor, name, 0)
                continue
            }
            let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard inner >= 0 else { continue }
            FolderContents(descriptor: inner, path: path + "/" + name).removeAll()
            close(inner)
            unlinkat(descriptor, name, AT_REMOVEDIR)
        }
    }

    /// Calls `body` with the open folder of a file, and the name of the file. Makes missing folders on the way if there is
    /// a mode for them.
    private func inFolder(
        of path: String, making mode: mode_t? = nil, _ body: (Int32, String) -> Int32
    ) throws(PathFault) -> Int32 {
        var components = path.split(separator: "/").map(String.init)
        let name = components.popLast() ?? "."
        var folder = descriptor
        defer { if folder != descriptor { close(folder) } }
        for component in components + [name] where component == ".." {
            throw PathFault(path: self.path + "/" + path, reason: .failed(EXDEV))
        }
        for component in components {
            if let mode, mkdirat(folder, component, mode) != 0, errno != EEXIST {
                throw PathFault(path: self.path + "/" + path, reason: .failed(errno))
            }
            let next = openat(folder, component, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw PathFault(path: self.path + "/" + path, reason: .failed(errno)) }
            if folder != descriptor { close(folder) }
            folder = next
        }
        let result = body(folder, name)
        guard result >= 0 else { throw PathFault(path: self.path + "/" + path, reason: .failed(errno)) }
        return result
    }

    // MARK: Names

    /// Returns the sorted names in the folder, and whether each is a folder.
    ///
    /// - Throws: `PathFault` if the folder cannot be read.
    package func names() throws(PathFault) -> [(name: String, isFolder: Bool)] {
        // The stream owns its descriptor.
        let reader = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard reader >= 0, let stream = fdopendir(reader) else {
            throw PathFault(path: path, reason: .failed(errno))
        }
        defer { closedir(stream) }
        var entries: [(name: String, isFolder: Bool)] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            var isFolder = Int32(entry.pointee.d_type) == Int32(DT_DIR)
            if Int32(entry.pointee.d_type) == Int32(DT_UNKNOWN) {
                var status = stat()
                isFolder =
                    fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFDIR
            }
            entries.append((name, isFolder))
        }
        return entries.sorted { $0.name < $1.name }
    }
}
