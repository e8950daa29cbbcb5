// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation
import LinuxKernel
import Testing

@Suite("Folders that a program makes or finds")
final class PrivateFolderTests {
    /// An empty folder of this user.
    private let base: String

    init() throws {
        base = NSTemporaryDirectory() + UUID().uuidString
        try #require(mkdir(base, 0o700) == 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }

    /// Whether this process may give files to another user. In a user namespace, root may be the only user.
    private static let mayGiveFiles: Bool = {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { rmdir(path) }
        return mkdir(path, 0o700) == 0 && chown(path, 12_345, 12_345) == 0
    }()

    private func mode(of path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private func make(_ name: String, mode: mode_t = 0o700, owner: uid_t? = nil) throws -> String {
        let path = base + "/" + name
        try #require(mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
        if let owner { try #require(chown(path, owner, owner) == 0) }
        return path
    }

    /// Returns the fault of a folder, with the path below the base.
    private func fault(_ path: String) -> String? {
        do throws(PathFault) { _ = try PrivateFolder(path) } catch {
            return "\(error)".replacing(base, with: "BASE")
        }
        return nil
    }

    @Test("A missing folder and those above it are made for their owner only")
    func new() throws {
        let folder = try PrivateFolder(base + "/a/b/")
        #expect(folder.isNew)
        #expect(mode(of: base + "/a") == 0o700 && mode(of: base + "/a/b") == 0o700)
        #expect(try !PrivateFolder(base + "/a/b").isNew)
    }

    @Test("An own folder that others can read is used, and closed to them only where its content is hidden")
    func readable() throws {
        let path = try make("own", mode: 0o755)
        _ = try PrivateFolder(path)
        #expect(mode(of: path) == 0o755)
        _ = try PrivateFolder(path, hidesContents: true)
        #expect(mode(of: path) == 0o700)
    }

    @Test("A folder that others can write to is refused, also with the sticky bit, and keeps its mode")
    func writable() throws {
        for mode in [0o777, 0o1777, 0o702] as [mode_t] {
            let path = try make("\(mode)", mode: mode)
            #expect(fault(path) == "other users can write to BASE/\(mode)")
            #expect(self.mode(of: path) == mode)
        }
        // A group of one's own is nobody else.
        #expect(fault(try make("group", mode: 0o770)) == nil)
    }

    /// An access control list that gives a user these permissions, as the kernel stores it: a version, and entries of a
    /// tag, permissions, and an id.
    private static func list(_ user: UInt32, _ permissions: UInt16, mask: UInt16) -> [UInt8] {
        let entries: [(UInt16, UInt16, UInt32)] = [
            (1, 7, .max), (2, permissions, user), (4, 0, .max), (0x10, mask, .max), (0x20, 0, .max),
        ]
        return entries.reduce(into: [2, 0, 0, 0]) { bytes, entry in
            for part in [entry.0, entry.1, UInt16(truncatingIfNeeded: entry.2), UInt16(entry.2 >> 16)] {
                bytes += [UInt8(part & 0xFF), UInt8(part >> 8)]
            }
        }
    }

    private static func setList(_ list: [UInt8], of path: String) -> Bool {
        setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0
    }

    /// Whether the file system of the temporary folder has access control lists.
    private static let hasLists: Bool = {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { rmdir(path) }
        return mkdir(path, 0o700) == 0 && setList(list(12_345, 7, mask: 7), of: path)
    }()

    @Test(
        "A folder that an access control list lets another user change is refused, also if its group is one's own",
        .enabled(if: hasLists, "the temporary folder's file system has no access control lists"))
    func accessControlLists() throws {
        let (open, masked) = (try make("open"), try make("masked"))
        #expect(Self.setList(Self.list(12_345, 7, mask: 7), of: open) && mode(of: open) == 0o770)
        #expect(fault(open) == "other users can write to BASE/open")
        #expect(fault(open + "/below") == "other users can write to BASE/open")
        #expect(Self.setList(Self.list(12_345, 7, mask: 5), of: masked))
        #expect(fault(masked) == nil)
    }

    @Test("A folder below one that others can write to is refused, unless the sticky bit protects it")
    func ancestors() throws {
        let shared = try make("shared", mode: 0o777)
        #expect(fault(shared + "/own/folder") == "other users can write to BASE/shared")
        #expect(mode(of: shared + "/own") == 0)
        #expect(fault(try make("sticky", mode: 0o1777) + "/own") == nil)
    }

    @Test("Symbolic links of this user are followed to where they lead, and the folders there are checked")
    func links() throws {
        let own = try make("own")
        _ = try make("shared", mode: 0o777)
        #expect(symlink("own", base + "/relative") == 0 && symlink(own, base + "/absolute") == 0)
        #expect(symlink("../shared/x", own + "/up") == 0 && symlink("loop", base + "/loop") == 0)
        #expect(fault(base + "/relative/a") == nil && fault(base + "/absolute/./b") == nil)
        #expect(mode(of: own + "/a") == 0o700 && mode(of: own + "/b") == 0o700)
        #expect(fault(own + "/up") == "other users can write to BASE/own/../shared")
        #expect(fault(base + "/loop")?.hasSuffix("Too many levels of symbolic links") == true)
        try Data().write(to: URL(fileURLWithPath: base + "/file"))
        #expect(fault(base + "/file") == "BASE/file is not a folder")
        #expect(fault(base + "/file/x") == "BASE/file is not a folder")
    }

    @Test(
        "Folders and links of another user are refused",
        .enabled(if: PrivateFolderTests.mayGiveFiles, "only root may give files to another user"))
    func foreign() throws {
        let sticky = try make("sticky", mode: 0o1777)
        let taken = try make("sticky/taken", owner: 12_345)
        #expect(fault(taken) == "BASE/sticky/taken belongs to another user, 12345")
        #expect(fault(taken + "/x") == "BASE/sticky/taken belongs to another user, 12345")
        #expect(symlink(try make("own"), sticky + "/link") == 0 && lchown(sticky + "/link", 12_345, 12_345) == 0)
        #expect(fault(sticky + "/link") == "BASE/sticky/link belongs to another user, 12345")
        #expect(fault(try make("given", mode: 0o755, owner: 12_345) + "/x") != nil)
    }

    @Test("In an open folder that others can write to, a folder is made or proven, and no link is followed")
    func inOpenFolder() throws {
        let shared = try make("shared", mode: 0o777)
        let parent = open(shared, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(parent) }
        func fault(_ name: String) -> PathFault.Reason? {
            do throws(PathFault) { _ = try PrivateFolder(name, in: parent, path: shared + "/" + name) } catch {
                return error.reason
            }
            return nil
        }
        #expect(fault("new") == nil && fault("new") == nil)
        #expect(symlink("new", shared + "/link") == 0)
        #expect(fault("link") == .link)
        try Data().write(to: URL(fileURLWithPath: shared + "/file"))
        #expect(fault("file") == .notFolder)
        _ = try make("shared/open", mode: 0o777)
        #expect(fault("open") == .writable)
    }

    @Test("Files below an open folder are reached without links, and removed without following any")
    func contents() throws {
        let (own, other) = (try PrivateFolder(base + "/own"), try make("other"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: other + "/file"))
        try own.contents.makeFolder("a/b/c")
        close(try own.contents.open("a/b/c/file", O_WRONLY | O_CREAT))
        #expect(symlink(other, base + "/own/a/link") == 0)
        for path in ["a/link/file", "a/link", "../other/file", "a/../../other/file"] {
            #expect(throws: PathFault.self, "\(path)") { close(try own.contents.open(path, O_RDONLY)) }
            own.contents.remove(path + "/file")
        }
        #expect(throws: PathFault.self) { try own.contents.makeFolder("a/link/new") }
        // The names of the folder belong to somebody else now.
        #expect(rename(base + "/own", base + "/moved") == 0 && symlink(other, base + "/own") == 0)
        own.contents.removeAll()
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["file"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: base + "/moved").isEmpty)
    }

    @Test("A program is trusted if only root and this user can change it, or a folder above it")
    func programs() throws {
        try PathTrust.check("/bin/sh")
        try PathTrust.check("/bin/sh", isForRoot: true)
        let own = try make("own")
        let program = own + "/program"
        try Data().write(to: URL(fileURLWithPath: program))
        func fault(lasts: Bool = false) -> String? {
            do throws(PathFault) { try PathTrust.check(program, lasts: lasts) } catch {
                return "\(error)".replacing(base, with: "BASE")
            }
            return nil
        }
        #expect(fault() == nil)
        #expect(chmod(program, 0o757) == 0)
        #expect(fault() == "other users can write to BASE/own/program")
        #expect(chmod(program, 0o755) == 0 && chmod(own, 0o707) == 0)
        #expect(fault() == "other users can write to BASE/own")
        // Others cannot rename the program, but a folder for temporary files is emptied at times.
        #expect(chmod(own, 0o1777) == 0)
        #expect(fault() == nil)
        #expect(fault(lasts: true)?.hasPrefix("other users can write to ") == true)
        #expect(throws: PathFault.self) { try PathTrust.check(program, isForRoot: true) }
    }
}
