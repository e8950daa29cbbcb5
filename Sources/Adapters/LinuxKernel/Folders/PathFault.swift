// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The reason why a path cannot be used, or must not be trusted.
package struct PathFault: Error, Hashable, CustomStringConvertible {
    /// A kind of fault.
    package enum Reason: Hashable, Sendable {
        /// A system call failed with this error number.
        case failed(Int32)
        /// A file of another kind is in place of the folder.
        case notFolder
        /// A symbolic link is in place of the folder.
        case link
        /// The file, folder, or symbolic link belongs to this user, who is neither the caller nor root.
        case foreignOwner(UInt32)
        /// Other users may write to the file or folder.
        case writable
    }

    /// The path of the component with the fault.
    package let path: String
    /// The kind of the fault.
    package let reason: Reason

    /// Creates a fault.
    package init(path: String, reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// The error number of the fault, for errors that distinguish a full disk.
    package var code: Int32 {
        switch reason {
        case .failed(let code): code
        case .notFolder: ENOTDIR
        case .link: ELOOP
        case .foreignOwner, .writable: EPERM
        }
    }

    /// A sentence without its period that names the component and the fault.
    package var description: String {
        switch reason {
        case .failed(let code): "\(path): \(String(cString: strerror(code)))"
        case .notFolder: "\(path) is not a folder"
        case .link: "\(path) is a symbolic link"
        case .foreignOwner(let user): "\(path) belongs to another user, \(Self.name(of: user))"
        case .writable: "other users can write to \(path)"
        }
    }

    private static func name(of user: UInt32) -> String {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return "\(user)" }
        return String(cString: name)
    }
}
