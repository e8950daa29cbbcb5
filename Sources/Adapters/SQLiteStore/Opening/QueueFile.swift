// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Glibc
internal import TransferEngine
internal import TransferModel

/// The database file of a queue, and the files that lie beside it: its backup, damaged ones, the sign of a suspicion.
struct QueueFile: Sendable {
    let path: String

    /// The path of the backup.
    var backup: String { path + ".backup" }

    /// The path of the file that only one process at a time may hold while it repairs.
    var repairLock: String { path + ".repair" }

    private var suspicion: String { path + ".suspect" }

    /// Whether an earlier run has met damage.
    var isSuspect: Bool { access(suspicion, F_OK) == 0 }

    /// Tells the next run, and other processes that open the database from now on, to look at all of it.
    func suspect() {
        let descriptor = Glibc.open(suspicion, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Takes the suspicion back.
    func trust() { unlink(suspicion) }

    /// The date of the backup; nil if there is none.
    var backupDate: WallTime? {
        var status = stat()
        guard stat(backup, &status) == 0 else { return nil }
        return WallTime(
            nanosecondsSinceEpoch: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }

    // MARK: Making

    /// Makes the file and its folders where they are missing, private to their owner.
    func create() throws {
        try makeFolder()
        try makeFile()
    }

    /// Makes the folder and those above it, each for its owner alone. An existing one keeps the mode it has.
    private func makeFolder() throws {
        var folders: [Substring] = []
        var rest = Substring(path)
        while let slash = rest.lastIndex(of: "/"), slash != rest.startIndex {
            rest = rest[..<slash]
            folders.append(rest)
        }
        for folder in folders.reversed() where mkdir(String(folder), 0o700) != 0 && errno != EEXIST {
            // The folder may exist all the same where an upper one may only be passed through.
            let problem = errno
            guard access(String(folder), F_OK) != 0 else { continue }
            throw TransferStoreError(code: problem == ENOSPC ? .diskFull : .notWritable, making: folder, problem)
        }
    }

    /// Makes the file before SQLite does, so that it is never readable by others; `-wal` and `-shm` take its mode.
    ///
    /// An existing file is not opened here: closing it would drop the locks that this process holds on it elsewhere
    /// (POSIX locks belong to the process, not to the descriptor).
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
                    message: "\(file) can be read by others and belongs to another user. Use another state folder.")
            }
        }
    }

    // MARK: Damaged files

    /// The age at which a damaged file is removed although no secret has ended meanwhile.
    private static let damagedAge = Duration.seconds(7 * 86_400)

    /// Moves the damaged database aside, and returns where it lies now.
    func moveAside(reason: String) throws -> String {
        let aside = path + ".damaged-\(WallTime.now.secondsSinceEpoch)"
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else {
                throw TransferStoreError(code: .corrupt, message: "\(reason) It cannot be moved aside, either.")
            }
        }
        return aside
    }

    /// Removes damaged files: nothing can be taken out of them, so they go when a secret that they may have has ended.
    ///
    /// - Parameters:
    ///   - own: the damaged file that this run moved aside; nobody knows what has ended since an earlier start did.
    ///   - hasErasedSecrets: whether a secret has ended since.
    func removeDamaged(own: String?, hasErasedSecrets: Bool, at now: WallTime) {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        // The next upkeep looks at rows that cannot be read now.
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
