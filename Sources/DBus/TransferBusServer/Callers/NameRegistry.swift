// SPDX-License-Identifier: Apache-2.0

/// An index from connections to the well-known names that they own on the bus.
struct NameRegistry {
    private var names: [String: Set<String>] = [:]
    private var processes: [String: Int32] = [:]

    /// Adds a name to a connection.
    ///
    /// - Returns: Whether the connection's process is still unknown.
    mutating func add(_ name: String, to owner: String) -> Bool {
        names[owner, default: []].insert(name)
        return processes[owner] == nil
    }

    /// Sets the process of a connection that owns names; `nil` if the process is unknown. Ignores other connections.
    mutating func setProcess(_ process: Int32?, of owner: String) {
        if names[owner] != nil { processes[owner] = process }
    }

    func owns(_ owner: String, _ name: String) -> Bool { names[owner]?.contains(name) == true }

    /// Removes a name from a connection. Removes the connection with its last name.
    mutating func remove(_ name: String, from owner: String) {
        names[owner]?.remove(name)
        if names[owner]?.isEmpty == true { remove(owner: owner) }
    }

    /// Removes a closed connection.
    mutating func remove(owner: String) {
        names[owner] = nil
        processes[owner] = nil
    }

    /// The names that a connection owns. If the connection owns none, returns the names of the other connections of
    /// its process. Toolkits often own the name on a separate connection.
    func names(of owner: String, process: Int32) -> Set<String> {
        if let own = names[owner], !own.isEmpty { return own }
        return processes.filter { $0.value == process }.keys.reduce([]) { $0.union(names[$1] ?? []) }
    }
}
