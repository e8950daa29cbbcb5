// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A freezer that uses the kernel's freezer for a control group (cgroups(7)) of the command's own.
///
/// No process notices this kind of freezing, not even a shell that watches its children, and processes of other users
/// are included.
final class CgroupFreezer: CommandFreezer {
    private let folder: String
    private let file: Int32
    private var guardian: ThawGuardian?
    private var isFrozen = false

    /// Moves a process that has not begun to execute its program into a group of its own, below the group that it is in.
    ///
    /// - Returns: `nil` if the group of the process may not be divided by this program, or belongs to other processes
    ///   too.
    init?(moving process: Int32, isOwnGroup: (String) -> Bool) {
        guard let group = Self.group(of: process), isOwnGroup(group), let root = Self.mountPoint() else { return nil }
        let folder = root + group + "/command"
        guard mkdir(folder, 0o755) == 0 else { return nil }
        let file = open(folder + "/cgroup.freeze", O_WRONLY | O_CLOEXEC)
        guard file >= 0, Self.write("\(process)", to: folder + "/cgroup.procs") else {
            if file >= 0 { close(file) }
            rmdir(folder)
            return nil
        }
        (self.folder, self.file) = (folder, file)
    }

    deinit {
        thaw()
        close(file)
        // Fails while processes are left in the group. systemd then removes the group with its unit.
        rmdir(folder)
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
        guard Self.write("1", to: file) else { throw FreezeError.system("cannot freeze the control group", errno) }
        isFrozen = true
    }

    func thaw() {
        _ = Self.write("0", to: file)
        isFrozen = false
    }

    private func ensureGuardian() throws(FreezeError) {
        if let guardian, guardian.isAlive { return }
        guardian = try ThawGuardian(thawing: file)
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

    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(file, &bytes, bytes.count), count > 0 { all += bytes.prefix(count) }
        return String(decoding: all, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return write(text, to: file)
    }

    private static func write(_ text: String, to file: Int32) -> Bool {
        text.withCString { Glibc.write(file, $0, strlen($0)) } == text.utf8.count
    }
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
