// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// The connections that have read objects' properties, and are told of changes from then on.
struct ReaderRegistry {
    /// The readers of each object, by its path.
    private var objects: [String: ObjectReaders] = [:]
    /// The number of objects that each connection is noted as a reader of.
    private var counts: [String: Int] = [:]

    /// Whether nobody reads anything.
    var isEmpty: Bool { objects.isEmpty }

    /// Whether an object has readers.
    func isRead(_ path: String) -> Bool { objects[path] != nil }

    /// Whether a connection is noted as a reader of a session that perhaps does not exist. Any name may be asked for, so
    /// that only some are noted.
    func mayGuess(_ name: String) -> Bool { counts[name, default: 0] < CallerLimits.guessedSessions }

    /// Notes that a connection reads an object: before its answer is made, so that no change falls between.
    ///
    /// ``end(_:of:answer:)`` is to follow.
    /// - Throws: `BusFault` if the connection reads more objects than it may.
    mutating func begin(_ name: String, of path: String) throws(BusFault) {
        if objects[path]?.names.contains(name) != true {
            guard counts[name, default: 0] < CallerLimits.readObjects else {
                throw BusFault(
                    .limitExceeded,
                    "this connection has read \(CallerLimits.readObjects) objects and is told of their changes; it may "
                        + "read no more of them: use List, or connect anew")
            }
            counts[name, default: 0] += 1
            objects[path, default: ObjectReaders()].names.insert(name)
        }
        objects[path]?.pending += 1
    }

    /// Notes that a connection was answered; nil where it was refused.
    ///
    /// - Returns: what it was told while the answer was made, so that the answer has it as it was before.
    mutating func end(_ name: String, of path: String, answer: [String: VariantValue]?) -> [String: VariantValue] {
        defer { drop(path) }
        objects[path]?.pending -= 1
        // It may have gone meanwhile.
        guard objects[path]?.names.contains(name) == true else { return [:] }
        if let answer { return objects[path]?.note(answer) ?? [:] }
        remove(name, of: path)
        return [:]
    }

    /// Takes in how an object stands.
    ///
    /// - Returns: what has changed since it was told last, and the connections that are to be told.
    mutating func changes(
        of path: String, to properties: [String: VariantValue]
    ) -> (properties: [String: VariantValue], readers: [String]) {
        let changed = objects[path]?.changes(to: properties) ?? [:]
        return (changed, changed.isEmpty ? [] : objects[path]?.names.sorted() ?? [])
    }

    /// The properties of an object that were told last; nil if the connection is none of its readers.
    func told(_ name: String, of path: String) -> [String: VariantValue]? {
        objects[path].flatMap { $0.names.contains(name) ? $0.told : nil }
    }

    /// Notes that an object will not change any more.
    mutating func setOver(_ path: String) {
        objects[path]?.isOver = true
        drop(path)
    }

    /// A connection has gone, or is told nothing any more.
    mutating func forget(_ name: String) {
        for (path, readers) in objects where readers.names.contains(name) {
            remove(name, of: path)
            drop(path)
        }
    }

    private mutating func drop(_ path: String) {
        guard let readers = objects[path], readers.pending == 0, readers.isOver || readers.names.isEmpty else { return }
        for name in readers.names { remove(name, of: path) }
        objects[path] = nil
    }

    private mutating func remove(_ name: String, of path: String) {
        guard objects[path]?.names.remove(name) != nil, let count = counts[name] else { return }
        counts[name] = count > 1 ? count - 1 : nil
    }
}
