// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The files and folders that a caller passes as descriptors.
///
/// The daemon refuses access that the caller's descriptor does not allow, because the daemon runs outside any sandbox
/// and may have more rights. For a caller outside sandboxes, the daemon keeps the path, which stays valid across
/// restarts.
///
/// A sandboxed caller proves a right to a particular file or folder, not to a name (rule C2). For its folder, the
/// daemon keeps the path and the folder's identity. For a folder in the document portal, the daemon also keeps the
/// document's path. For its upload, the daemon keeps the file itself.
struct PassedFiles {
    /// The fields of a transfer, with paths in place of descriptors.
    var fields: [String: VariantValue]
    /// The identity of the folder that a sandboxed caller passed.
    var folder: FolderIdentity?
    /// The file that a sandboxed caller passed, open until the call is answered.
    var upload: Int32?

    /// Resolves the descriptors among the fields of a transfer.
    ///
    /// - Throws: `BusFault` that names the key, the problem and the remedy.
    init(_ fields: [String: VariantValue], _ descriptors: [Int32], from caller: BusCaller) throws {
        self.fields = fields
        if caller.isSandboxed { try Self.refusePaths(in: fields) }
        for (key, pathKey, isFolder) in [("upload-fd", "upload-file", false), ("directory-fd", "directory", true)] {
            guard let value = self.fields.removeValue(forKey: key) else { continue }
            guard fields[pathKey] == nil else {
                throw BusFault(.invalidArgument, "'\(key)' and '\(pathKey)' cannot be combined; use one of them")
            }
            let descriptor = try Self.descriptor(value, key, descriptors)
            if isFolder {
                let (path, identity) = try Self.folder(descriptor, key, of: caller)
                self.fields[pathKey] = .string(path)
                if caller.isSandboxed { folder = identity }
            } else if caller.isSandboxed {
                upload = try Self.checkedFile(descriptor, key)
                self.fields[pathKey] = .string("/" + Self.name(of: descriptor))
            } else {
                self.fields[pathKey] = .string(try Self.file(descriptor, key))
            }
        }
    }

    /// Rejects paths, which could lead the daemon to files that the caller's sandbox denies.
    private static func refusePaths(in fields: [String: VariantValue]) throws {
        if fields["directory"] != nil {
            throw BusFault(
                .accessDenied,
                "a sandboxed program cannot specify a folder by its path: pass 'directory-fd', or omit the folder and "
                    + "read the file with Open")
        }
        if fields["upload-file"] != nil {
            throw BusFault(
                .accessDenied,
                "a sandboxed program cannot specify a file by its path: pass 'upload-fd', open for reading")
        }
    }

    /// Returns the descriptor that a handle refers to.
    static func descriptor(_ value: VariantValue, _ key: String, _ descriptors: [Int32]) throws -> Int32 {
        guard case .handle(let index) = value, descriptors.indices.contains(Int(index)) else {
            throw BusFault(.invalidArgument, "'\(key)' must be a file descriptor passed with the message (h)")
        }
        return descriptors[Int(index)]
    }

    /// Returns the last component of the kernel's path for a file, for display. Returns `file` if the component is
    /// unusable.
    static func name(of descriptor: Int32) -> String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty || name == ".." || name == "." ? "file" : name
    }

    /// Returns `descriptor` if the descriptor refers to a regular file and is open for reading.
    static func checkedFile(_ descriptor: Int32, _ key: String) throws -> Int32 {
        let status = try status(descriptor, key)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw BusFault(.invalidArgument, "'\(key)' must be a regular file")
        }
        guard fcntl(descriptor, F_GETFL) & O_ACCMODE != O_WRONLY else {
            throw BusFault(.invalidArgument, "'\(key)' is not open for reading; open it with O_RDONLY")
        }
        return descriptor
    }

    private static func file(_ descriptor: Int32, _ key: String) throws -> String {
        try path(of: checkedFile(descriptor, key), try status(descriptor, key), key)
    }

    private static func folder(
        _ descriptor: Int32, _ key: String, of caller: BusCaller
    ) throws -> (String, FolderIdentity) {
        let status = try status(descriptor, key)
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw BusFault(.invalidArgument, "'\(key)' must be a folder")
        }
        // A sandbox shows folders that it may not write to as separate read-only mounts.
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0, system.f_flag & UInt(ST_RDONLY) == 0 else {
            throw BusFault(.invalidArgument, "'\(key)' is a folder that the caller cannot write to")
        }
        var identity = FolderIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        if caller.isSandboxed, let found = PortalDocument(descriptor, status, of: caller.app) {
            identity.document = found.document
            return (found.path, identity)
        }
        return (try path(of: descriptor, status, key), identity)
    }

    private static func status(_ descriptor: Int32, _ key: String) throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw BusFault(.invalidArgument, "cannot inspect '\(key)': \(String(cString: strerror(errno)))")
        }
        // An `O_PATH` descriptor proves no right to the content. Swift's Glibc module omits the constant.
        let isPathOnly = fcntl(descriptor, F_GETFL) & 0o10000000 != 0
        guard !isPathOnly else {
            throw BusFault(.invalidArgument, "'\(key)' was opened with O_PATH; open it for reading")
        }
        return status
    }

    /// Returns the path of a descriptor. The path must lead the daemon to the same file as the descriptor.
    private static func path(of descriptor: Int32, _ status: stat, _ key: String) throws -> String {
        var other = stat()
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"),
            path.hasPrefix("/"), lstat(path, &other) == 0, other.st_dev == status.st_dev,
            other.st_ino == status.st_ino
        else {
            throw BusFault(
                .invalidArgument,
                "'\(key)' has no path that the daemon can access: it was removed, or is inside a sandbox")
        }
        return path
    }
}
