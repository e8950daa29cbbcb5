// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol

/// A registry of the connections that have read objects' properties and receive their changes.
struct ReaderRegistry {
    /// The readers of each object, by path.
    private var objects: [String: ObjectReaders] = [:]
    /// The number of objects that each connection reads.
    private var counts: [String: Int] = [:]

    /// Whether no object has readers.
    var isEmpty: Bool { objects.isEmpty }

    /// Whether an object has readers.
    func isRead(_ path: String) -> Bool { objects[path] != nil }

    /// Whether a connection may be recorded as a reader of a session that perhaps does not exist. A connection can
    /// request any name, so only a limited number is recorded.
    func mayReadUnknownSession(_ name: String) -> Bool { counts[name, default: 0] < CallerLimits.guessedSessions }

    /// Records that a connection reads an object. Call this method before the reply is created, so that no change is
    /// lost in between.
    ///
    /// A call to ``end(_:of:reply:)`` must follow.
    ///
    /// - Throws: `BusFault` if the connection reads more objects than allowed.
    mutating func begin(_ name: String, of path: String) throws(BusFault) {
        if objects[path]?.names.contains(name) != true {
            guard counts[name, default: 0] < CallerLimits.readObjects else {
                throw BusFault(
                    .limitExceeded,
                    "this connection has read \(CallerLimits.readObjects) objects and receives their changes, which is the "
                        + "maximum: use List, or reconnect")
            }
            counts[name, default: 0] += 1
            objects[path, default: ObjectReaders()].names.insert(name)
        }
        objects[path]?.pending += 1
    }

    /// Completes a read after its reply; `reply` is `nil` if the call was refused.
    ///
    /// - Returns: The values that were reported while the reply was created, if the reply contains older values.
    mutating func end(_ name: String, of path: String, reply: [String: VariantValue]?) -> [String: VariantValue] {
        defer { drop(path) }
        objects[path]?.pending -= 1
        // The connection may have closed in the meantime.
        guard objects[path]?.names.contains(name) == true else { return [:] }
        if let reply { return objects[path]?.record(reply) ?? [:] }
        remove(name, of: path)
        return [:]
    }

    /// Records an object's current properties.
    ///
    /// - Returns: The properties that have changed since the last report, and the connections to report them to.
    mutating func changes(
        of path: String, to properties: [String: VariantValue]
    ) -> (properties: [String: VariantValue], readers: [String]) {
        let changed = objects[path]?.changes(to: properties) ?? [:]
        return (changed, changed.isEmpty ? [] : objects[path]?.names.sorted() ?? [])
    }

    /// Returns the properties of an object that were last reported; `nil` if the connection does not read the object.
    func lastReported(_ name: String, of path: String) -> [String: VariantValue]? {
        objects[path].flatMap { $0.names.contains(name) ? $0.lastReported : nil }
    }

    /// Marks an object that no longer changes. Its readers are removed once no reply is pending.
    mutating func markEnded(_ path: String) {
        objects[path]?.isEnded = true
        drop(path)
    }

    /// Removes a connection that has closed or receives no more signals.
    mutating func forget(_ name: String) {
        for (path, readers) in objects where readers.names.contains(name) {
            remove(name, of: path)
            drop(path)
        }
    }

    private mutating func drop(_ path: String) {
        guard let readers = objects[path], readers.pending == 0, readers.isEnded || readers.names.isEmpty else {
            return
        }
        for name in readers.names { remove(name, of: path) }
        objects[path] = nil
    }

    private mutating func remove(_ name: String, of path: String) {
        guard objects[path]?.names.remove(name) != nil, let count = counts[name] else { return }
        counts[name] = count > 1 ? count - 1 : nil
    }
}
