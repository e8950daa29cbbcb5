// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The files and folders that a caller passes as descriptors.
///
/// What the caller's descriptor does not allow is refused, since the daemon, outside a sandbox, might be allowed more. Of a
/// caller outside sandboxes the path is kept: it holds across restarts. A caller in a sandbox proves a right to one file or
/// one folder, not to a name: its folder's identity is kept beside the path, of a document of the portal its id, and its file itself (rule C2).
struct PassedFiles {
    /// The fields of a transfer with paths in place of descriptors.
    var fields: [String: VariantValue]
    /// The identity of the folder that a sandboxed caller has passed.
    var folder: FolderIdentity?
    /// The file that a sandboxed caller has passed, open until the call is answered.
    var upload: Int32?

    /// Resolves the descriptors among the fields of a transfer.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    init(_ fields: [String: VariantValue], _ descriptors: [Int32], from caller: BusCaller) throws {
        self.fields = fields
        if caller.isSandboxed { try Self.refusePaths(in: fields) }
        for (key, pathKey, isFolder) in [("upload-fd", "upload-file", false), ("directory-fd", "directory", true)] {
            guard let value = self.fields.removeValue(forKey: key) else { continue }
            guard fields[pathKey] == nil else {
                throw BusFault(.invalidArgument, "'\(key)' and '\(pathKey)' say the same; give one of them")
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

    /// Refuses paths: they lead the daemon to files that the caller's sandbox may deny it.
    private static func refusePaths(in fields: [String: VariantValue]) throws {
        if fields["directory"] != nil {
            throw BusFault(
                .accessDenied,
                "a program in a sandbox names no folder by its path: pass 'directory-fd', or leave the folder out and "
                    + "read the file by Open")
        }
        if fields["upload-file"] != nil {
            throw BusFault(
                .accessDenied, "a program in a sandbox names no file by its path: pass 'upload-fd', open for reading")
        }
    }

    /// The descriptor that a handle stands for.
    static func descriptor(_ value: VariantValue, _ key: String, _ descriptors: [Int32]) throws -> Int32 {
        guard case .handle(let place) = value, descriptors.indices.contains(Int(place)) else {
            throw BusFault(.invalidArgument, "'\(key)' must be a descriptor that comes with the message (h)")
        }
        return descriptors[Int(place)]
    }

    /// The last part of the name that the kernel knows of a file, for people.
    static func name(of descriptor: Int32) -> String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty || name == ".." || name == "." ? "file" : name
    }

    /// A descriptor of a regular file that is open for reading.
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
        // A sandbox shows folders that it may not write as mounts of their own.
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0, system.f_flag & UInt(ST_RDONLY) == 0 else {
            throw BusFault(.invalidArgument, "'\(key)' is a folder that its caller may only read")
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
            throw BusFault(.invalidArgument, "'\(key)' cannot be looked at: \(String(cString: strerror(errno)))")
        }
        // Such a one proves no right to the content; Glibc's Swift module leaves the constant out.
        let isPathOnly = fcntl(descriptor, F_GETFL) & 0o10000000 != 0
        guard !isPathOnly else {
            throw BusFault(.invalidArgument, "'\(key)' was opened with O_PATH; open it for reading")
        }
        return status
    }

    /// The path, which must lead to the same file for the daemon as the descriptor does for the caller.
    private static func path(of descriptor: Int32, _ status: stat, _ key: String) throws -> String {
        var other = stat()
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"),
            path.hasPrefix("/"), lstat(path, &other) == 0, other.st_dev == status.st_dev,
            other.st_ino == status.st_ino
        else {
            throw BusFault(
                .invalidArgument,
                "'\(key)' has no path by which the daemon reaches it: it was removed, or lies in a sandbox of its own")
        }
        return path
    }
}
