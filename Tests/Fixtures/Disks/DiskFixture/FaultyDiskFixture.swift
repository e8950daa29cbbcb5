// SPDX-License-Identifier: Apache-2.0
import CDiskJournal
import Foundation
import TransferModel
import TransferPolicy

/// A folder on a simulated disk that can lose power.
///
/// All changes that programs make in the folder are recorded in a journal beside it. Changes that were not synced can
/// therefore be rolled back. Start the programs with ``environment``. This process only observes.
package final class FaultyDiskFixture {
    package let root: String
    private let folder: String
    private let control: UnsafeMutablePointer<disk_control>
    private var journalPath: String { folder + "/journal" }
    private var gravesPath: String { folder + "/graves" }

    /// The path of the preloaded library that interposes C library calls. The library is built next to this program.
    package static let library: String = {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        return own.appendingPathComponent("libFaultyDisk.so").path
    }()

    /// Creates the journal.
    ///
    /// - Parameters:
    ///   - root: The folder, as an absolute path without symbolic links.
    ///   - folder: The folder for the journal, on the same file system as `root` but not below
    ///     it. Replaced if it exists.
    /// - Throws: `DiskFixtureError` if the library is missing or the journal cannot be created.
    package init(root: String, journal folder: String) throws {
        guard FileManager.default.fileExists(atPath: Self.library) else {
            throw DiskFixtureError("\(Self.library) is missing; run swift build --product FaultyDisk")
        }
        self.root = root
        self.folder = folder
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder + "/graves", withIntermediateDirectories: true)
        let descriptor = open(folder + "/journal", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, ftruncate(descriptor, off_t(DISK_CONTROL_SIZE)) == 0,
            let page = mmap(nil, Int(DISK_CONTROL_SIZE), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            page != MAP_FAILED
        else { throw DiskFixtureError("\(folder)/journal cannot be created: \(String(cString: strerror(errno)))") }
        control = page.bindMemory(to: disk_control.self, capacity: 1)
        control.pointee = disk_control()
        control.pointee.good_syncs = -1
        try begin()
    }

    deinit { munmap(control, Int(DISK_CONTROL_SIZE)) }

    /// The environment for programs that use the faulty disk.
    package var environment: [String: String] {
        ["LD_PRELOAD": Self.library, DISK_ROOT_VARIABLE: root, DISK_JOURNAL_VARIABLE: folder]
    }

    // MARK: Faults without a power loss

    /// Sets the number of syncs that succeed before one sync fails. `nil` means that all syncs succeed.
    package func setGoodSyncs(_ count: Int64?) { control.pointee.good_syncs = count ?? -1 }

    /// Sets the additional time that each write and each sync takes.
    package func setDelay(microseconds: UInt32) { control.pointee.delay = microseconds }

    // MARK: Power loss

    /// Simulates a power loss: rolls back some of the changes that were not synced, and starts a new journal.
    ///
    /// No program may use the folder during this call.
    ///
    /// - Returns: The number of changes that were not durable, and the number of these changes that are lost or torn.
    @discardableResult
    package func losePower(
        _ loss: PowerLoss, using generator: inout some RandomNumberGenerator
    ) throws -> (pending: Int, lost: Int) {
        let records = try DiskRecord.read(try Data(contentsOf: URL(fileURLWithPath: journalPath)))
        let history = DiskHistory(records, names: loss.names)
        var lost = 0
        // Bytes are rolled back first, while every file can still be found by a name, if only in the graves folder.
        let chosen = choose(records, history, loss.bytes, using: &generator)
        let files = try inodes()
        for (inode, changes) in history.bytes.sorted(by: { $0.key < $1.key })
        where changes.contains(where: { !$0.isDurable }) {
            guard let path = files[inode] else { throw DiskFixtureError("inode \(inode) no longer has a name") }
            lost += try rewrite(path, changes, records, chosen, loss.bytes, using: &generator)
        }
        let kept = history.names.count * loss.keptNames / 100
        for index in history.names.dropFirst(kept).reversed() { rollBack(records[index]) }
        lost += history.names.count - kept
        try removeSharedMemory()
        let pending = history.names.count + history.bytes.values.joined().count { !$0.isDurable }
        try begin()
        return (pending, lost)
    }

    /// Treats all earlier changes as durable, as after an orderly shutdown, and starts a new
    /// journal with a new boot id.
    package func begin() throws {
        try FileManager.default.removeItem(atPath: gravesPath)
        try FileManager.default.createDirectory(atPath: gravesPath, withIntermediateDirectories: true)
        control.pointee.committed = 0
        try "\(UUID().uuidString.lowercased())\n".write(toFile: folder + "/boot", atomically: true, encoding: .utf8)
        guard truncate(journalPath, off_t(DISK_CONTROL_SIZE)) == 0 else {
            throw DiskFixtureError("cannot truncate \(journalPath)")
        }
    }

    /// Returns the indices of the byte changes that survive although they are not durable.
    private func choose(
        _ records: [DiskRecord], _ history: DiskHistory, _ bytes: PowerLoss.Bytes,
        using generator: inout some RandomNumberGenerator
    ) -> Set<Int> {
        let pending = history.bytes.values.joined().filter { !$0.isDurable }.map(\.index).sorted()
        switch bytes {
        case .dropped: return []
        case .kept: return Set(pending)
        case .cut: return Set(pending.prefix(Int.random(in: 0...pending.count, using: &generator)))
        case .mixed: return Set(pending.filter { _ in Bool.random(using: &generator) })
        }
    }

    /// Rolls back the changes of a file from the first non-durable change on, and reapplies the surviving changes.
    ///
    /// - Returns: The number of changes that are lost or torn.
    private func rewrite(
        _ path: String, _ changes: [(index: Int, isDurable: Bool)], _ records: [DiskRecord], _ chosen: Set<Int>,
        _ bytes: PowerLoss.Bytes, using generator: inout some RandomNumberGenerator
    ) throws -> Int {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw DiskFixtureError("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let touched = changes.drop { $0.isDurable }
        for change in touched.reversed() {
            let record = records[change.index]
            Self.put(record.old[...], at: record.offset, in: descriptor)
            ftruncate(descriptor, off_t(record.oldSize))
        }
        let last = chosen.max()
        var lost = 0
        for change in touched {
            let record = records[change.index]
            guard change.isDurable || chosen.contains(change.index) else {
                lost += 1
                continue
            }
            guard record.kind == .write else {
                ftruncate(descriptor, off_t(record.offset))
                continue
            }
            let isWhole = change.isDurable || bytes == .kept || (bytes == .cut && change.index != last)
            let pieces = PowerLoss.pieces(of: record, isWhole ? .kept : bytes, using: &generator)
            for piece in pieces {
                Self.put(
                    record.new[piece.lowerBound..<piece.upperBound], at: record.offset + Int64(piece.lowerBound),
                    in: descriptor)
            }
            if pieces.reduce(0, { $0 + $1.count }) < record.new.count { lost += 1 }
        }
        return lost
    }

    private static func put(_ bytes: Data.SubSequence, at offset: Int64, in descriptor: Int32) {
        var done = 0
        Array(bytes).withUnsafeBytes { buffer in
            while done < buffer.count {
                let count = pwrite(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + done)
                guard count > 0 else { return }
                done += count
            }
        }
    }

    /// Rolls back the change of a name. If a process was killed, its last recorded change may never have been made.
    private func rollBack(_ record: DiskRecord) {
        switch record.kind {
        case .create, .link: unlink(record.first)
        case .makeFolder: try? FileManager.default.removeItem(atPath: record.first)
        case .unlink: link("\(gravesPath)/\(record.inode)", record.first)
        case .rename:
            if Self.inode(record.second) == record.inode { rename(record.second, record.first) }
            if record.replaced != 0 { link("\(gravesPath)/\(record.replaced)", record.second) }
        case .write, .truncate, .sync, .syncFolder, .lost: break  // These records change no names.
        }
    }

    /// Returns one path for each inode.
    private func inodes() throws -> [UInt64: String] {
        var names: [UInt64: String] = [:]
        for folder in [root, gravesPath] {
            for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
                let path = folder + "/" + name
                if let inode = Self.inode(path) { names[inode] = path }
            }
        }
        return names
    }

    private static func inode(_ path: String) -> UInt64? {
        var facts = stat()
        return lstat(path, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// Removes SQLite's shared memory files. They are mapped into memory, and SQLite recreates them at startup.
    private func removeSharedMemory() throws {
        for name in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? []
        where name.hasSuffix("-shm") {
            try FileManager.default.removeItem(atPath: root + "/" + name)
        }
    }
}
