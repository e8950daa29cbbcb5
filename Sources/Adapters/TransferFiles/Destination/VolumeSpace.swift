// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel

/// Computes how much of a file system may be filled.
package struct VolumeSpace: Hashable, Sendable {
    /// The space that stays free: `floorBytes` or `floorPercent` of the volume, whichever is less.
    package var floorBytes: Int64
    package var floorPercent: Int

    package init(floorBytes: Int64, floorPercent: Int) {
        (self.floorBytes, self.floorPercent) = (floorBytes, floorPercent)
    }

    /// Returns the number of bytes that may still be written at `path`.
    ///
    /// If `path` does not exist, its nearest existing folder is used. Returns `nil` if the file system does not
    /// report its space.
    package func available(at path: String) -> Int64? {
        var statistics = statvfs()
        var folder = path
        while statvfs(folder, &statistics) != 0 {
            guard folder != "/", !folder.isEmpty, errno == ENOENT || errno == ENOTDIR else { return nil }
            folder = Paths.parent(folder)
        }
        return available(statistics)
    }

    /// Returns the number of bytes that may still be written to the file system of an open file.
    package func available(on descriptor: Int32) -> Int64? {
        var statistics = statvfs()
        return fstatvfs(descriptor, &statistics) == 0 ? available(statistics) : nil
    }

    private func available(_ statistics: statvfs) -> Int64 {
        let unit = Int64(clamping: statistics.f_frsize)
        let whole = Int64(clamping: statistics.f_blocks).multipliedReportingOverflow(by: unit).partialValue
        let free = Int64(clamping: statistics.f_bavail).multipliedReportingOverflow(by: unit).partialValue
        return max(0, free - min(floorBytes, whole / 100 * Int64(floorPercent)))
    }
}

/// Operations on paths as text.
package enum Paths {
    package static func parent(_ path: String) -> String {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    package static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}

/// The result of `lstat` for a file.
package struct FileFacts: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case regular, folder, symbolicLink, other }
    package var kind: Kind
    package var size: Int64
    /// The modification time in nanoseconds since 1970.
    package var modified: Int64
    package var device: UInt64
    /// The inode.
    package var number: UInt64
    /// The ID of the user who owns the file.
    package var owner: UInt32

    /// Reads the facts of the file at `path`. Returns `nil` if no file exists there.
    ///
    /// By default, describes a symbolic link itself and not its target.
    package init?(path: String, followsLinks: Bool = false) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = Int64(status.st_size)
        modified = status.st_mtim.nanoseconds
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        owner = status.st_uid
    }
}
