// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// The signals that report changes to watchers and to callers that have read an object's properties.
///
/// A caller that stops reading receives no signals. A caller that resumes reading receives the current state. Used
/// only on the server's thread.
final class ChangeSignals {
    private let connection: ServerConnection
    private let service: any ExportedService
    private var watchers = WatcherRegistry()
    private var readers = ReaderRegistry()
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

    /// Reports only changes to the objects that a caller has read.
    func unwatch(_ name: String) {
        watchers.remove(name)
        missed[name]?.forgetTransfers()
    }

    /// Records that a caller reads an object's properties and receives their changes from now on. Call this method
    /// before the reply is created, so that no change is lost in between. A caller that may not reach the object is not
    /// recorded (rule C6).
    ///
    /// - Returns: Whether `endReading` must follow.
    /// - Throws: `BusFault` if the caller reads more objects than allowed.
    func beginReading(_ call: BusCall, by caller: BusCaller) throws(BusFault) -> Bool {
        guard call.interface == TransferBusName.properties else { return false }
        if let id = BusObject.transfer(at: call.path) {
            // An ended transfer no longer changes.
            guard service.isUnfinished(id, for: caller) else { return false }
        } else {
            guard let session = BusObject.session(at: call.path), caller.reaches(session.app) else { return false }
            let isKnown = readers.isRead(call.path) || service.unfinishedSessions(for: caller).contains(session)
            guard isKnown || readers.mayReadUnknownSession(call.sender) else { return false }
        }
        try readers.begin(call.sender, of: call.path)
        return true
    }

    /// Completes a read after its reply; `values` is `nil` if the call was refused.
    func endReading(_ call: BusCall, _ values: [VariantValue]?) {
        let name = call.arguments.last?.string ?? ""
        let reply = values?.first.map { call.method == "GetAll" ? $0.dictionary ?? [:] : [name: $0] }
        let missed = readers.end(call.sender, of: call.path, reply: connection.bus == nil ? nil : reply)
        if !missed.isEmpty, let interface = call.arguments.first?.string {
            connection.emitChanged(missed, of: interface, to: call.sender, at: call.path)
        }
    }

    /// Removes a caller that has disconnected or receives no more signals.
    func forget(_ name: String) {
        watchers.remove(name)
        missed[name] = nil
        readers.forget(name)
    }

    // MARK: Changes

    /// Reports a transfer's status to the watchers that may reach the transfer, and its changes to the readers of its
    /// properties.
    func report(_ status: TransferStatus, on server: isolated BusServer) {
        guard connection.bus != nil else { return }
        lazy var fields = status.fields
        for watcher in watchers.all where watcher.reaches(status.app) {
            if connection.isStalled(watcher.name) {
                miss(watcher.name) { $0.transfers.insert(status.id) }
            } else {
                emit(fields, to: watcher.name)
            }
        }
        guard !readers.isEmpty else { return }
        let path = "\(TransferBusName.transfersPath)/\(status.id.rawValue)"
        notifyReaders(of: path, TransferBusName.transferInterface, TransferObject.changes(of: fields))
        if status.state.isEnded { readers.markEnded(path) }
        if let session = status.session {
            notifySessionReaders(SessionKey(app: status.app, identifier: session), on: server)
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
            connection.emitChanged(status.fields, of: TransferBusName.managerInterface, to: watcher.name)
        }
    }

    private func emit(_ fields: [String: VariantValue], to name: String) {
        // A caller that has just disconnected misses nothing.
        try? connection.bus?.emit(
            "Changed", of: TransferBusName.managerInterface, at: TransferBusName.managerPath, to: name,
            [.dictionary(fields)], type: "(a{sv})")
    }

    private func notifyReaders(of path: String, _ interface: String, _ properties: [String: VariantValue]) {
        guard connection.bus != nil else { return }
        let changed = readers.changes(of: path, to: properties)
        for name in changed.readers {
            if connection.isStalled(name) {
                miss(name) { $0.objects[path] = interface }
            } else {
                connection.emitChanged(changed.properties, of: interface, to: name, at: path)
            }
        }
    }

    private func notifySessionReaders(_ name: SessionKey, on server: isolated BusServer) {
        let path = name.path
        guard readers.isRead(path) else { return }
        let caller = BusCaller(name: "", app: name.app, kind: .app)
        Task {
            // Capturing the server keeps the task on the server's thread.
            _ = server
            let sessions = try await service.service(for: caller).sessions()
            let session = sessions.first { $0.name == name } ?? SessionStatus(name)
            notifyReaders(of: path, TransferBusName.sessionInterface, session.properties)
        }
    }

    // MARK: Back-pressure

    /// Records news that a stalled caller does not receive. A caller that misses too much receives no more signals.
    private func miss(_ name: String, _ body: (inout MissedChanges) -> Void) {
        body(&missed[name, default: MissedChanges()])
        if let count = missed[name]?.count, count > CallerLimits.missedChanges { forget(name) }
    }

    /// Sends the current state of everything that a caller missed, after the caller resumes reading. Sends nothing if
    /// `caller` is `nil`, which means that the caller is no longer identified.
    func catchUp(_ name: String, as caller: BusCaller?, on server: isolated BusServer) {
        guard let missedChanges = missed.removeValue(forKey: name), let caller else { return }
        Task {
            // Capturing the server keeps the task on the server's thread.
            _ = server
            if missedChanges.manager, watchers.contains(name) {
                var changed = DaemonStatus()
                let status = try? await service.service(for: caller).status()
                (changed.held, changed.conditions) = (status?.held, status?.conditions)
                connection.emitChanged(changed.fields, of: TransferBusName.managerInterface, to: name)
            }
            if watchers.contains(name) {
                for status in service.statuses(of: missedChanges.transfers.sorted(), for: caller) {
                    emit(status.fields, to: name)
                }
            }
            for (path, interface) in missedChanges.objects.sorted(by: { $0.key < $1.key }) {
                if let lastReported = readers.lastReported(name, of: path) {
                    connection.emitChanged(lastReported, of: interface, to: name, at: path)
                } else if !readers.isRead(path), let id = BusObject.transfer(at: path),
                    let status = service.statuses(of: [id], for: caller).first
                {
                    // The transfer has ended in the meantime and no longer has readers.
                    let changes = TransferObject.changes(of: status.fields)
                    connection.emitChanged(changes, of: interface, to: name, at: path)
                }
            }
        }
    }
}
