// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation

extension ProcessFacts {
    /// The maximum number of bytes to read from a file that a process may have written itself.
    private static let mostBytes = 64 << 10

    /// Reads the facts about a process.
    ///
    /// - Parameter handle: A pidfd of the process. The kernel cannot reuse the process id while `handle` shows that
    ///   the process runs, so that the facts describe this very process.
    /// - Returns: The facts, or `nil` if the process has ended.
    static func read(of process: Int32, handle: ProcessHandle) -> ProcessFacts? {
        let folder = "/proc/\(process)"
        var facts = ProcessFacts()
        facts.executable = target(of: folder + "/exe")
        facts.cgroup = text(at: folder + "/cgroup") ?? ""
        facts.arguments = (text(at: folder + "/cmdline") ?? "").split(separator: "\0").map(String.init)
        facts.workingFolder = target(of: folder + "/cwd") ?? ""
        facts.securityLabel =
            text(at: folder + "/attr/apparmor/current") ?? text(at: folder + "/attr/current") ?? ""
        facts.mountNamespace = number(of: folder + "/ns/mnt")
        facts.ownMountNamespace = number(of: "/proc/self/ns/mnt")
        let networks = [folder, "/proc/self"].map { number(of: $0 + "/ns/net") }
        facts.hasSameNetwork = networks.contains(nil) ? nil : networks[0] == networks[1]
        facts.isSameUser = isOwn(process)
        readRoot(folder + "/root", into: &facts)
        return handle.isRunning ? facts : nil
    }

    /// Whether the daemon's effective user is also the effective user of a process. The owner of the folder
    /// `/proc/PID` is not a substitute, because root owns the folder of a process that may not be dumped.
    private static func isOwn(_ process: Int32) -> Bool {
        guard let text = text(at: "/proc/\(process)/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Uid:") })
        else { return false }
        // The real, effective, saved and file system user ids.
        let users = line.split { $0 == "\t" || $0 == " " }.dropFirst()
        return users.count == 4 && UInt32(users[2]) == geteuid()
    }

    /// Reads the root folder through a single descriptor, so that the process cannot swap the folder between two
    /// reads.
    private static func readRoot(_ path: String, into facts: inout ProcessFacts) {
        let root = open(path, pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return }
        defer { close(root) }
        var theirs = stat()
        var ours = stat()
        guard fstat(root, &theirs) == 0, stat("/", &ours) == 0 else { return }
        facts.hasSameRoot = theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino
        // A program may have put anything there, such as a pipe that blocks or a link out of its sandbox.
        let file = openat(root, ".flatpak-info", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            // A file that exists but cannot be read still indicates a sandbox.
            if errno != ENOENT { facts.flatpakInfo = "" }
            return
        }
        defer { close(file) }
        var status = stat()
        let isRegular = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        facts.flatpakInfo = isRegular ? text(of: file) : ""
    }

    /// `O_PATH`, which Swift's Glibc module omits.
    private static let pathOnly: Int32 = 0o10000000

    private static func text(at path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return text(of: file)
    }

    private static func text(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + count, $0.count - count) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func target(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    /// The number in the target of a namespace link, such as `mnt:[4026531841]`.
    private static func number(of link: String) -> UInt64? {
        target(of: link).flatMap { UInt64($0.filter(\.isNumber)) }
    }
}
