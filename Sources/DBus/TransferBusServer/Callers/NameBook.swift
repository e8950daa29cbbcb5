// SPDX-License-Identifier: Apache-2.0

/// The well-known names on the bus that each connection owns.
struct NameBook {
    private var names: [String: Set<String>] = [:]
    private var processes: [String: Int32] = [:]

    /// A connection owns a name.
    ///
    /// - Returns: whether nothing is known of the connection's process yet.
    mutating func add(_ name: String, to owner: String) -> Bool {
        names[owner, default: []].insert(name)
        return processes[owner] == nil
    }

    /// Which process a connection is of; nil where nobody knows.
    mutating func setProcess(_ process: Int32?, of owner: String) {
        if names[owner] != nil { processes[owner] = process }
    }

    /// Whether a connection owns a name.
    func owns(_ owner: String, _ name: String) -> Bool { names[owner]?.contains(name) == true }

    /// A connection owns a name no longer.
    mutating func remove(_ name: String, from owner: String) {
        names[owner]?.remove(name)
        if names[owner]?.isEmpty == true { remove(owner: owner) }
    }

    /// A connection has gone.
    mutating func remove(owner: String) {
        names[owner] = nil
        processes[owner] = nil
    }

    /// The names that a connection owns; if it owns none, those of its process's other connections: a toolkit's own, mostly.
    func names(of owner: String, process: Int32) -> Set<String> {
        if let own = names[owner], !own.isEmpty { return own }
        return processes.filter { $0.value == process }.keys.reduce([]) { $0.union(names[$1] ?? []) }
    }
}
