// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// The signals that report changes to watchers.
///
/// A caller that stops reading receives no signals. A caller that resumes reading receives the current state. Used
/// only on the server's thread.
final class ChangeSignals {
    private let connection: ServerConnection
    private let service: any ExportedService
    private var watchers = WatcherRegistry()
    /// The news that stalled callers have missed, by the connection's unique name.
    private var missed: [String: MissedChanges] = [:]

    /// Creates a sender without receivers.
    init(over connection: ServerConnection, of service: any ExportedService) {
        (self.connection, self.service) = (connection, service)
    }

    // MARK: Receivers

    /// Reports all changes to a caller from now on.
    ///
    /// - Throws: `BusFault` if the caller's app already watches through the maximum number of connections.
    func watch(_ caller: BusCaller) throws(BusFault) { try watchers.add(caller) }

    /// Reports no more changes to a caller.
    func forget(_ name: String) {
        watchers.remove(name)
        missed[name] = nil
    }

    // MARK: Changes

    /// Reports a transfer's status to the watchers that may reach the transfer.
    func report(_ status: TransferStatus) {
        guard connection.bus != nil else { return }
        lazy var fields = status.fields
        for watcher in watchers.all where watcher.reaches(status.app) {
            if connection.isStalled(watcher.name) {
                miss(watcher.name) { $0.transfers.insert(status.id) }
            } else {
                emit(fields, to: watcher.name)
            }
        }
    }

    /// Reports changed properties of the manager to the watchers, limited to what each watcher may see.
    func notifyWatchers(_ change: (inout DaemonStatus, BusCaller) -> Void) {
        guard connection.bus != nil else { return }
        for watcher in watchers.all {
            if connection.isStalled(watcher.name) {
                miss(watcher.name) { $0.manager = true }
                continue
            }
            var status = DaemonStatus()
            change(&status, watcher)
            connection.emitChanged(status.fields, to: watcher.name)
        }
    }

    private func emit(_ fields: [String: VariantValue], to name: String) {
        // A caller that has just disconnected misses nothing.
        try? connection.bus?.emit(
            "Changed", of: TransferBusName.managerInterface, at: TransferBusName.managerPath, to: name,
            [.dictionary(fields)], type: "(a{sv})")
    }

    // MARK: Back-pressure

    /// Records news that a stalled caller does not receive. A caller that misses too much receives no more signals.
    private func miss(_ name: String, _ body: (inout MissedChanges) -> Void) {
        body(&missed[name, default: MissedChanges()])
        if let count = missed[name]?.transfers.count, count > CallerLimits.missedChanges { forget(name) }
    }

    /// Sends the current state of everything that a caller missed, after the caller resumes reading. Sends nothing if
    /// `caller` is `nil`, which means that the caller is no longer identified.
    func catchUp(_ name: String, as caller: BusCaller?, on server: isolated BusServer) {
        guard let missedChanges = missed.removeValue(forKey: name), let caller else { return }
        Task {
            // Capturing the server keeps the task on the server's thread.
            _ = server
            guard watchers.contains(name) else { return }
            if missedChanges.manager {
                var changed = DaemonStatus()
                let status = try? await service.service(for: caller).status()
                (changed.held, changed.conditions) = (status?.held, status?.conditions)
                connection.emitChanged(changed.fields, to: name)
            }
            for status in service.statuses(of: missedChanges.transfers.sorted(), for: caller) {
                emit(status.fields, to: name)
            }
        }
    }
}

/// The news that a caller did not receive because the caller does not read its messages.
///
/// Records the changed transfers instead of the messages. A caller that is suspended for a week therefore costs a
/// bounded amount of memory (rule C7).
struct MissedChanges {
    var transfers: Set<TransferID> = []
    /// Whether properties of the manager have changed.
    var manager = false
}

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
