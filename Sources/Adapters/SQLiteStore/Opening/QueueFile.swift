// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc
internal import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// The database file of a queue and its accompanying files: its backup, damaged files, and the marker of suspected
/// damage.
struct QueueFile: Sendable {
    let path: String

    /// The path of the backup.
    var backup: String { path + ".backup" }

    /// The path of the lock file that one process at a time holds while it repairs the queue.
    var repairLock: String { path + ".repair" }

    private var suspectMarker: String { path + ".suspect" }

    /// Whether an earlier run has found damage.
    var isSuspect: Bool { access(suspectMarker, F_OK) == 0 }

    /// Creates the marker that makes the next run, and processes that open the database from now on, check the whole
    /// file.
    func markSuspect() {
        let descriptor = Glibc.open(suspectMarker, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Removes the marker of suspected damage.
    func clearSuspicion() { unlink(suspectMarker) }

    /// The modification date of the backup; `nil` if there is no backup.
    var backupDate: WallTime? {
        var status = stat()
        guard stat(backup, &status) == 0 else { return nil }
        return WallTime(nanosecondsSinceEpoch: status.st_mtim.nanoseconds)
    }

    // MARK: Making

    /// Creates the file and its folders if they are missing, private to their owner.
    func create() throws {
        try makeFolder()
        try makeFile()
    }

    /// Creates the folder and its missing parents for this user only. Existing folders keep their mode.
    ///
    /// SQLite opens files by their paths. They are safe, because no other user can change where the path of a private
    /// folder leads.
    private func makeFolder() throws {
        let folder = (path as NSString).deletingLastPathComponent
        do throws(PathFault) { _ = try PrivateFolder(folder) } catch {
            throw TransferStoreError(error, ofQueueAt: path)
        }
    }

    /// Creates the file before SQLite does, so that other users can never read the file. SQLite gives `-wal` and
    /// `-shm` the same mode.
    ///
    /// An existing file is not opened here. Closing the file would drop the locks that this process holds on it
    /// elsewhere, because POSIX locks belong to the process, not to the descriptor.
    private func makeFile() throws {
        let descriptor = Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            Glibc.close(descriptor)
            return
        }
        let problem = errno
        guard problem == EEXIST else {
            throw TransferStoreError(code: problem == ENOSPC ? .diskFull : .notWritable, making: path[...], problem)
        }
        for file in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            guard chmod(file, 0o600) == 0 else {
                throw TransferStoreError(
                    code: .notWritable,
                    message: "Other users can read \(file), and it belongs to another user. Use another state folder.")
            }
        }
    }

    // MARK: Damaged files

    /// The age at which a damaged file is removed even if no secret has ended in the meantime.
    private static let damagedAge = Duration.seconds(7 * 86_400)

    /// Moves the damaged database aside and returns its new path.
    func moveAside(reason: String) throws -> String {
        let aside = path + ".damaged-\(WallTime.now.secondsSinceEpoch)"
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else {
                throw TransferStoreError(code: .corrupt, message: "\(reason) The file cannot be moved aside, either.")
            }
        }
        return aside
    }

    /// Removes damaged files. Single secrets cannot be erased from a damaged file, so the file is removed after any
    /// secret that it may contain has ended.
    ///
    /// - Parameters:
    ///   - own: The damaged file that this run moved aside. Files of earlier runs are removed, because it is unknown
    ///     which secrets have ended since.
    ///   - hasErasedSecrets: Whether a secret was erased since this run opened the queue.
    func removeDamaged(own: String?, hasErasedSecrets: Bool, at now: WallTime) {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        // If the folder cannot be read now, the next upkeep tries again.
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where file.hasPrefix(name + ".damaged-") {
            let digits = file.dropFirst(name.utf8.count + ".damaged-".utf8.count).prefix { $0.isNumber }
            let moved = WallTime(secondsSinceEpoch: Int64(digits) ?? 0)
            let isOwn = own?.hasSuffix("/" + name + ".damaged-" + digits) == true
            guard !isOwn || hasErasedSecrets || moved.duration(to: now) >= Self.damagedAge else { continue }
            try? FileManager.default.removeItem(atPath: folder + "/" + file)
        }
    }
}
