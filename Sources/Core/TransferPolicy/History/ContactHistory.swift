// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The last unmetered networks: how long each lasted, and how long the machine was without one before it.
public struct ContactHistory: Hashable, Sendable, Codable {
    private struct Contact: Hashable, Sendable, Codable {
        /// Nanoseconds without one before it.
        var gap: Int64
        /// Nanoseconds.
        var length: Int64
    }

    /// How many are kept.
    public static let limit = 32

    private var contacts: [Contact] = []
    private var current = Contact(gap: 0, length: 0)

    /// Nothing learned yet.
    public init() {}

    /// How many contacts are over.
    public var count: Int { contacts.count }

    /// The share of the time in which the machine had one, over the last `count` contacts; nil before the first ended.
    public func share(ofLast count: Int) -> Double? {
        let recent = contacts.suffix(max(0, count))
        let lengths = recent.reduce(0.0) { $0 + Double(max(0, $1.length)) }
        let all = lengths + recent.reduce(0.0) { $0 + Double(max(0, $1.gap)) }
        return all > 0 ? lengths / all : nil
    }

    /// So much time has gone by with one, or without.
    mutating func add(_ elapsed: Duration, isContact: Bool) {
        let nanoseconds = elapsed.wholeNanoseconds
        if isContact {
            current.length = current.length.addingSaturating(nanoseconds)
        } else {
            end()
            current.gap = current.gap.addingSaturating(nanoseconds)
        }
    }

    /// The contact that lasted until now is over; nothing happens where there was none.
    mutating func end() {
        guard current.length > 0 else { return }
        contacts.append(current)
        if contacts.count > Self.limit { contacts.removeFirst(contacts.count - Self.limit) }
        current = Contact(gap: 0, length: 0)
    }
}
