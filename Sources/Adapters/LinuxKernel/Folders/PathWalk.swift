// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// A walk from the root folder to a file, which proves that only trusted users can change where the path leads.
///
/// Each component is opened relative to the one before, and symbolic links are read here and not by the kernel. Every
/// component must belong to root or this user. Others must not be able to write to a folder on the way, unless the
/// sticky bit keeps them from renaming what is not theirs. After a walk, the path stays safe to use in system calls.
struct PathWalk {
    /// The users whom the walk trusts with the components.
    let owners: Set<uid_t>
    /// Whether folders for everyone's temporary files may be on the way. They are emptied at times, and then anyone can
    /// make what was there.
    let allowsTemporaryFolders: Bool
    /// Whether missing folders are made.
    let makesFolders: Bool

    /// The flag `O_PATH` of open(2), which Glibc's module does not declare. Needs no permission to read.
    private static let pathOnly: Int32 = 0o10000000

    /// Walks to a path. The caller closes the returned descriptor, which is open with `O_PATH`.
    func open(_ path: String) throws(PathFault) -> (descriptor: Int32, isNew: Bool) {
        var rest = Self.components(of: Self.absolute(path))
        var (location, linksLeft, isNew) = ("", 40, false)
        var current = try Self.root()
        while let name = rest.popLast() {
            let next: Int32
            let place = location + "/" + name
            do throws(PathFault) {
                try check(current, location)
                (next, isNew) = try step(from: current, to: name, at: place)
            } catch {
                close(current)
                throw error
            }
            guard let target = Self.target(of: next) else {
                close(current)
                (current, location) = (next, place)
                continue
            }
            defer { close(next) }
            linksLeft -= 1
            guard linksLeft > 0, owners.contains(Self.status(of: next).st_uid) else {
                close(current)
                let owner = Self.status(of: next).st_uid
                throw PathFault(path: place, reason: linksLeft > 0 ? .foreignOwner(owner) : .failed(ELOOP))
            }
            rest += Self.components(of: target)
            guard target.hasPrefix("/") else { continue }
            close(current)
            (current, location) = (try Self.root(), "")
        }
        return (current, isNew)
    }

    private func step(
        from folder: Int32, to name: String, at place: String
    ) throws(PathFault) -> (descriptor: Int32, isNew: Bool) {
        let flags = Self.pathOnly | O_NOFOLLOW | O_CLOEXEC
        let found = openat(folder, name, flags)
        if found >= 0 { return (found, false) }
        guard errno == ENOENT, makesFolders else { throw PathFault(path: place, reason: .failed(errno)) }
        // Another process may have made the folder in the meantime. It is then checked like any other.
        let isNew = mkdirat(folder, name, 0o700) == 0
        guard isNew || errno == EEXIST else { throw PathFault(path: place, reason: .failed(errno)) }
        let made = openat(folder, name, flags)
        guard made >= 0 else { throw PathFault(path: place, reason: .failed(errno)) }
        return (made, isNew)
    }

    /// Checks a folder on the way.
    private func check(_ folder: Int32, _ path: String) throws(PathFault) {
        let (status, path) = (Self.status(of: folder), path.isEmpty ? "/" : path)
        guard status.st_mode & S_IFMT == S_IFDIR else { throw PathFault(path: path, reason: .notFolder) }
        guard owners.contains(status.st_uid) else {
            throw PathFault(path: path, reason: .foreignOwner(status.st_uid))
        }
        guard Self.isWritableByOthers(folder, status) else { return }
        let isSticky = status.st_mode & S_ISVTX != 0
        guard isSticky, allowsTemporaryFolders || status.st_mode & S_IWOTH == 0 else {
            throw PathFault(path: path, reason: .writable)
        }
    }

    // MARK: Facts

    /// Returns whether users besides the owner and root may write to a file or folder.
    ///
    /// The caller's own primary group counts as the caller's alone, because most systems give each user such a group. With
    /// an access control list, the permissions of the group are the most that the list gives anyone.
    static func isWritableByOthers(_ descriptor: Int32, _ status: stat) -> Bool {
        guard status.st_mode & S_IWOTH == 0 else { return true }
        guard status.st_mode & S_IWGRP != 0 else { return false }
        return ![0, getegid()].contains(status.st_gid)
            || getxattr("/proc/self/fd/\(descriptor)", "system.posix_acl_access", nil, 0) > 0
    }

    /// Root, and this user.
    static var trustedOwners: Set<uid_t> { systemOwners.union([geteuid()]) }

    /// Root, also if a user namespace shows it as somebody else.
    static let systemOwners: Set<uid_t> = unmappedOwner.union([0])

    /// In a user namespace, such as that of a container, the owner of folders of the system is shown as one user, who
    /// stands for everybody outside.
    private static let unmappedOwner: Set<uid_t> = {
        guard let map = text(at: "/proc/self/uid_map"), let owner = text(at: "/proc/sys/kernel/overflowuid"),
            !map.split(whereSeparator: \.isWhitespace).elementsEqual(["0", "0", "4294967295"])
        else { return [] }
        return Set(owner.split(whereSeparator: \.isWhitespace).compactMap { uid_t($0) })
    }()

    private static func text(at path: String) -> String? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    static func status(of descriptor: Int32) -> stat {
        var status = stat()
        fstat(descriptor, &status)
        return status
    }

    /// Returns the target if the descriptor is that of a symbolic link.
    private static func target(of descriptor: Int32) -> String? {
        guard status(of: descriptor).st_mode & S_IFMT == S_IFLNK else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(descriptor, "", &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Returns the components in reverse order.
    private static func components(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    private static func root() throws(PathFault) -> Int32 {
        let root = Glibc.open("/", pathOnly | O_CLOEXEC)
        guard root >= 0 else { throw PathFault(path: "/", reason: .failed(errno)) }
        return root
    }
}

/// The users who can replace a file, from the file itself up to the root folder.
package enum PathTrust {
    /// Checks that nobody but the owner and root can change the file at a path, or make the path lead to another file.
    ///
    /// A program that starts later, with the rights of its owner, must be of this kind.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Symbolic links are followed.
    ///   - isForRoot: Whether the file is root's. Otherwise it is this user's.
    ///   - lasts: Whether the path must lead to the file even after folders for temporary files were emptied.
    /// - Throws: `PathFault` that names the file, or the folder above it, that someone else can change.
    package static func check(_ path: String, isForRoot: Bool = false, lasts: Bool = true) throws(PathFault) {
        let owners = isForRoot ? PathWalk.systemOwners : PathWalk.trustedOwners
        let walk = PathWalk(owners: owners, allowsTemporaryFolders: !lasts, makesFolders: false)
        let (file, _) = try walk.open(path)
        defer { close(file) }
        let status = PathWalk.status(of: file)
        guard owners.contains(status.st_uid) else { throw PathFault(path: path, reason: .foreignOwner(status.st_uid)) }
        guard !PathWalk.isWritableByOthers(file, status) else { throw PathFault(path: path, reason: .writable) }
    }
}
