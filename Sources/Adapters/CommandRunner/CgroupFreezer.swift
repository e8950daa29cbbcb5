// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A freezer that uses the kernel's freezer for a control group (cgroups(7)) of the command's own.
///
/// No process notices this kind of freezing, not even a shell that watches its children, and processes of other users
/// are included.
final class CgroupFreezer: CommandFreezer {
    private let file: Int32
    private var guardian: ThawGuardian?
    private var isFrozen = false

    /// Creates a freezer for the group of a process, to which only processes of the command belong.
    ///
    /// - Returns: `nil` if this program may not freeze the group.
    init?(of process: Int32) {
        guard let group = Self.group(of: process) else { return nil }
        file = Self.openFreezer(of: group)
        guard file >= 0 else { return nil }
    }

    deinit {
        thaw()
        close(file)
    }

    var helpers: Set<Int32> { guardian.map { [$0.process] } ?? [] }

    func helperEnded(_ process: Int32) {
        guard process == guardian?.process else { return }
        guardian = nil
        guard isFrozen, (try? ensureGuardian()) == nil else { return }
        thaw()
    }

    func freeze() throws(FreezeError) {
        try ensureGuardian()
        guard write(file, "1", 1) == 1 else { throw FreezeError.system("cannot freeze the control group", errno) }
        isFrozen = true
    }

    func thaw() {
        _ = write(file, "0", 1)
        isFrozen = false
    }

    private func ensureGuardian() throws(FreezeError) {
        if let guardian, guardian.isAlive { return }
        guardian = try ThawGuardian(thawing: file)
    }

    /// Opens the file that freezes and thaws a group. Returns -1 and sets `errno` if that is not possible.
    static func openFreezer(of group: String) -> Int32 {
        guard let root = mountPoint() else {
            errno = ENOENT
            return -1
        }
        return open(root + group + "/cgroup.freeze", O_WRONLY | O_CLOEXEC)
    }

    /// Returns the path of a process's group in the unified hierarchy, such as `/user.slice/run.scope`.
    static func group(of process: Int32) -> String? {
        text(of: "/proc/\(process)/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::/") }
            .map { String($0.dropFirst(3)) }
    }

    /// Returns the folder on which the unified hierarchy is mounted.
    static func mountPoint() -> String? {
        text(of: "/proc/self/mountinfo").flatMap(mountPoint(in:))
    }

    /// Returns the folder on which the unified hierarchy is mounted, from the text of `/proc/self/mountinfo`.
    static func mountPoint(in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count, fields[dash + 1] == "cgroup2",
                fields.count > 4
            else { continue }
            return String(fields[4])
        }
        return nil
    }

    private static func text(of path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}

/// A way to freeze all processes of a command. Used on the executor's queue.
protocol CommandFreezer: AnyObject {
    /// The process IDs of helpers that do not belong to the command.
    var helpers: Set<Int32> { get }

    /// Handles the end of a helper, which must exist as long as processes are frozen.
    func helperEnded(_ process: Int32)

    /// Freezes all processes of the command. Safe to repeat.
    ///
    /// - Throws: `FreezeError` if processes continue to run.
    func freeze() throws(FreezeError)

    /// Continues all processes that were frozen. Safe to repeat.
    func thaw()
}
