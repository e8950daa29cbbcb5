// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// Files and folders that a caller passes as descriptors.
///
/// Their paths are kept, not they: a path holds across restarts, and no right outlives the call. What the caller's
/// descriptor does not allow is refused, since the daemon, outside a sandbox, might be allowed more.
enum PassedFiles {
    /// The fields of a transfer with paths in the place of descriptors.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    static func resolved(
        _ fields: [String: VariantValue], _ descriptors: [Int32]
    ) throws -> [String: VariantValue] {
        var fields = fields
        for (key, pathKey, isFolder) in [("upload-fd", "upload-file", false), ("directory-fd", "directory", true)] {
            guard let value = fields.removeValue(forKey: key) else { continue }
            guard fields[pathKey] == nil else {
                throw BusFault(.invalidArgument, "'\(key)' and '\(pathKey)' say the same; give one of them")
            }
            guard case .handle(let place) = value, descriptors.indices.contains(Int(place)) else {
                throw BusFault(.invalidArgument, "'\(key)' must be a descriptor that comes with the message (h)")
            }
            let path = try isFolder ? folder(descriptors[Int(place)], key) : file(descriptors[Int(place)], key)
            fields[pathKey] = .string(path)
        }
        return fields
    }

    private static func file(_ descriptor: Int32, _ key: String) throws -> String {
        let status = try status(descriptor, key)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw BusFault(.invalidArgument, "'\(key)' must be a regular file")
        }
        guard fcntl(descriptor, F_GETFL) & O_ACCMODE != O_WRONLY else {
            throw BusFault(.invalidArgument, "'\(key)' is not open for reading; open it with O_RDONLY")
        }
        return try path(of: descriptor, status, key)
    }

    private static func folder(_ descriptor: Int32, _ key: String) throws -> String {
        let status = try status(descriptor, key)
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw BusFault(.invalidArgument, "'\(key)' must be a folder")
        }
        // A sandbox shows folders that it may not write as mounts of their own.
        var system = statvfs()
        guard fstatvfs(descriptor, &system) == 0, system.f_flag & UInt(ST_RDONLY) == 0 else {
            throw BusFault(.invalidArgument, "'\(key)' is a folder that its caller may only read")
        }
        return try path(of: descriptor, status, key)
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
