// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The most recent stays on unmetered networks (contacts), and the gap before each of them.
public struct ContactHistory: Hashable, Sendable, Codable {
    private struct Contact: Hashable, Sendable, Codable {
        /// The time without an unmetered network before the contact, in nanoseconds.
        var gap: Int64
        /// The duration of the contact, in nanoseconds.
        var length: Int64
    }

    /// The number of contacts that the history keeps.
    public static let limit = 32

    private var contacts: [Contact] = []
    private var current = Contact(gap: 0, length: 0)

    /// Creates an empty history.
    public init() {}

    /// The number of contacts that have ended, at most ``limit``.
    public var count: Int { contacts.count }

    /// Returns the share of time with an unmetered network over the last `count` contacts, 0…1, or `nil` if no
    /// contact has ended.
    public func share(ofLast count: Int) -> Double? {
        let recent = contacts.suffix(max(0, count))
        let lengths = recent.reduce(0.0) { $0 + Double(max(0, $1.length)) }
        let all = lengths + recent.reduce(0.0) { $0 + Double(max(0, $1.gap)) }
        return all > 0 ? lengths / all : nil
    }

    /// Records a period with or without an unmetered network.
    mutating func add(_ nanoseconds: Int64, isContact: Bool) {
        if isContact {
            current.length = current.length.addingSaturating(nanoseconds)
        } else {
            end()
            current.gap = current.gap.addingSaturating(nanoseconds)
        }
    }

    /// Ends the current contact, if there is one.
    mutating func end() {
        guard current.length > 0 else { return }
        contacts.append(current)
        if contacts.count > Self.limit { contacts.removeFirst(contacts.count - Self.limit) }
        current = Contact(gap: 0, length: 0)
    }
}
