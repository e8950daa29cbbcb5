// SPDX-License-Identifier: Apache-2.0
internal import TransferBusProtocol

/// A registry of watchers. A watcher receives all changes that it may see.
struct WatcherRegistry {
    private var watchers: [String: BusCaller] = [:]

    /// All watchers, in no particular order.
    var all: some Collection<BusCaller> { watchers.values }

    func contains(_ name: String) -> Bool { watchers[name] != nil }

    /// Adds a watcher, or replaces its earlier entry.
    ///
    /// - Throws: `BusFault` if the watcher's app already watches through the maximum number of other connections.
    mutating func add(_ caller: BusCaller) throws(BusFault) {
        let others = watchers.values.count { $0.app == caller.app && $0.name != caller.name }
        guard others < CallerLimits.watchers else {
            throw BusFault(
                .limitExceeded,
                "\(caller.app) watches through \(others) connections; the maximum is \(CallerLimits.watchers); call Unwatch"
            )
        }
        watchers[caller.name] = caller
    }

    mutating func remove(_ name: String) { watchers[name] = nil }
}
