// SPDX-License-Identifier: Apache-2.0
import CDiskJournal
import Foundation

/// A journal record of the faulty disk: a change of a file's bytes, a change of a name, or a sync.
struct DiskRecord: Sendable {
    enum Kind: UInt32, Sendable {
        case write = 1
        case truncate
        case sync
        case syncFolder
        case lost
        case create
        case link
        case unlink
        case rename
        case makeFolder
    }

    var kind: Kind
    var inode: UInt64
    var replaced: UInt64
    var offset: Int64
    var oldSize: Int64
    var new: Data
    var old: Data
    var first: String
    var second: String

    /// Returns all records of a journal in the order in which they were made.
    ///
    /// - Throws: `DiskFixtureError` if the journal is malformed, because no result of the test could be trusted.
    static func read(_ journal: Data) throws -> [DiskRecord] {
        guard journal.count >= Int(DISK_CONTROL_SIZE) else { throw DiskFixtureError("the journal is truncated") }
        let committed = journal.withUnsafeBytes { $0.loadUnaligned(as: disk_control.self).committed }
        var rest = journal.dropFirst(Int(DISK_CONTROL_SIZE)).prefix(Int(committed))
        guard rest.count == Int(committed) else { throw DiskFixtureError("the journal is truncated") }
        var records: [DiskRecord] = []
        while !rest.isEmpty {
            guard rest.count >= MemoryLayout<disk_record>.size else { throw DiskFixtureError("a record is truncated") }
            let head = rest.withUnsafeBytes { $0.loadUnaligned(as: disk_record.self) }
            guard let kind = Kind(rawValue: head.kind), head.length <= rest.count else {
                throw DiskFixtureError("record \(records.count) is invalid: kind \(head.kind), length \(head.length)")
            }
            var body = rest.prefix(Int(head.length)).dropFirst(MemoryLayout<disk_record>.size)
            func next(_ count: Int) -> Data {
                defer { body = body.dropFirst(count) }
                return Data(body.prefix(count))
            }
            let (new, old) = (next(Int(head.new_count)), next(Int(head.old_count)))
            let first = String(decoding: next(Int(head.first_length)), as: UTF8.self)
            let second = String(decoding: next(Int(head.second_length)), as: UTF8.self)
            records.append(
                DiskRecord(
                    kind: kind, inode: head.inode, replaced: head.replaced, offset: head.offset,
                    oldSize: head.old_size, new: new, old: old, first: first, second: second))
            rest = rest.dropFirst(Int(head.length))
        }
        return records
    }

    /// A Boolean value that indicates whether the record changes a directory entry.
    var isName: Bool {
        switch kind {
        case .create, .link, .unlink, .rename, .makeFolder: true
        case .write, .truncate, .sync, .syncFolder, .lost: false
        }
    }

    /// Returns whether one of the record's names is directly in the given folder.
    func touches(folder: String) -> Bool { [first, second].contains { Self.folder(of: $0) == folder } }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}

/// A failure in the setup or the use of a faulty disk.
package struct DiskFixtureError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
