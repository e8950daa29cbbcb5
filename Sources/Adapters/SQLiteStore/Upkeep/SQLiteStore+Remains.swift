// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import GRDB
internal import TransferModel

/// Removing what transfers leave behind elsewhere than in their own rows.
extension SQLiteStore {
    /// How long a damaged file is kept for who wants to look into it, where no secret has ended meanwhile.
    private static let damagedAge = Duration.seconds(7 * 86_400)

    /// Removes damaged files: nothing can be taken out of them, so they go when a secret that they may have has ended.
    func removeDamagedFiles(at now: WallTime) {
        // The database's own folder; what cannot be read now is looked at by the next upkeep.
        let (folder, name) = (
            (configuration.path as NSString).deletingLastPathComponent,
            (configuration.path as NSString).lastPathComponent
        )
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where file.hasPrefix(name + ".damaged-") {
            let digits = file.dropFirst(name.utf8.count + ".damaged-".utf8.count).prefix { $0.isNumber }
            let moved = WallTime(secondsSinceEpoch: Int64(digits) ?? 0)
            // Nobody knows what has ended since an earlier start moved one aside.
            let isOwn = loss?.damagedFile.hasSuffix("/" + name + ".damaged-" + digits) == true
            guard !isOwn || writer.hasErasedSecrets || moved.duration(to: now) >= Self.damagedAge else { continue }
            try? FileManager.default.removeItem(atPath: folder + "/" + file)
        }
    }

    /// Removes the traits, hosts among them, that no transfer has any more. Only where this store has the queue to itself:
    /// another process may be about to use a class that it knows.
    func removeUnusedClasses() throws {
        guard configuration.scope == .all, !writer.isClosed else { return }
        database.writeWithoutTransaction { [rows] _ in rows.beginWatchingClasses() }
        // A connection of its own: to look through a long queue takes a while.
        let reader = try DatabaseQueue(path: configuration.path)
        let unused = try reader.read { database in
            try Int64.fetchAll(
                database,
                sql: """
                    SELECT number FROM class WHERE number NOT IN (SELECT class FROM queue UNION SELECT class FROM ended)
                    """)
        }
        try reader.close()
        try inUpkeep { [rows] database in try rows.removeClasses(unused, in: database) }
    }
}
