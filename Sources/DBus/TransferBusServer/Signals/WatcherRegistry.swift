// SPDX-License-Identifier: Apache-2.0
internal import TransferBusProtocol

/// The callers that watch: each is told of all changes that it may see.
struct WatcherRegistry {
    private var watchers: [String: BusCaller] = [:]

    /// All callers that watch, in no order.
    var all: some Collection<BusCaller> { watchers.values }

    /// Whether a connection watches.
    func contains(_ name: String) -> Bool { watchers[name] != nil }

    /// Adds a caller, or takes in what is new of it.
    ///
    /// - Throws: `BusFault` if its app watches by as many other connections as it may.
    mutating func add(_ caller: BusCaller) throws(BusFault) {
        let others = watchers.values.count { $0.app == caller.app && $0.name != caller.name }
        guard others < CallerLimits.watchers else {
            throw BusFault(
                .limitExceeded,
                "\(caller.app) watches by \(others) connections and may by \(CallerLimits.watchers); call Unwatch")
        }
        watchers[caller.name] = caller
    }

    /// Removes a connection.
    mutating func remove(_ name: String) { watchers[name] = nil }
}
