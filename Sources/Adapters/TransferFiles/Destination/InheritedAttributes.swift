// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc

/// The attributes that a folder gives to each file that is created in it: its group, its default ACL, and its SELinux
/// type (D10). A partial file of another folder that is renamed has none of them.
struct InheritedAttributes {
    /// The group of a folder with the setgid bit, or `nil`.
    private let group: gid_t?
    /// The access ACL of a new file, or `nil` if the folder has no default ACL.
    private let accessList: [UInt8]?
    private let label: [UInt8]

    private static let labelName = "security.selinux"

    /// Reads the attributes of a folder. A folder that cannot be read gives none.
    init(of folder: String) {
        var status = stat()
        group = stat(folder, &status) == 0 && status.st_mode & S_ISGID != 0 ? status.st_gid : nil
        accessList = Self.attribute("system.posix_acl_default", of: folder).flatMap(Self.withoutExecution)
        label = Self.attribute(Self.labelName, of: folder) ?? []
    }

    /// Sets the attributes of a file, and its mode: `mode` without the umask if the folder has a default ACL, which takes
    /// the place of the umask (umask(2)).
    ///
    /// - Returns: The result of fchmod, or 0.
    func apply(to descriptor: Int32, mode: mode_t, umask: mode_t) -> Int32 {
        // Fails for a group of which the user is no member. Before the mode, because it clears bits of the mode.
        if let group { _ = fchown(descriptor, uid_t.max, group) }
        if !label.isEmpty { _ = fsetxattr(descriptor, Self.labelName, label, label.count, 0) }
        guard let accessList else { return fchmod(descriptor, mode & ~umask) }
        guard fsetxattr(descriptor, "system.posix_acl_access", accessList, accessList.count, 0) != 0 else { return 0 }
        return fchmod(descriptor, mode & ~umask)
    }

    private static func attribute(_ name: String, of path: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = getxattr(path, name, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// Returns the access ACL that the kernel gives to a file that is created with the mode 0666 (acl(5)): entries for the
    /// owner, the mask or else the group, and others lose their execute permission.
    ///
    /// - Parameter list: A version, and entries of eight bytes: two for the tag, two for the permissions, in little endian.
    static func withoutExecution(_ list: [UInt8]) -> [UInt8]? {
        let (header, size) = (4, 8)
        guard list.count > header, (list.count - header) % size == 0 else { return nil }
        let entries = stride(from: header, to: list.count, by: size)
        let (owner, group, mask, others) = (UInt8(0x01), UInt8(0x04), UInt8(0x10), UInt8(0x20))
        let limit = entries.contains { list[$0] == mask } ? mask : group
        var result = list
        for entry in entries where [owner, limit, others].contains(list[entry]) { result[entry + 2] &= 6 }
        return result
    }
}
