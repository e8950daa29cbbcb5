// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
package import TransferModel

/// Who has read an object's properties, and what they were told last.
struct ObjectReaders {
    var names: Set<String> = []
    private(set) var told: [String: VariantValue] = [:]
    /// How many answers are on their way.
    var pending = 0
    /// Whether nothing will change any more.
    var isOver = false

    /// What has changed since it was told last.
    mutating func changes(to properties: [String: VariantValue]) -> [String: VariantValue] {
        let changed = properties.filter { told[$0.key] != $0.value }
        told.merge(changed) { $1 }
        return changed
    }

    /// Notes what somebody is answered.
    ///
    /// - Returns: what was told while the answer was made, so that the answer has it as it was before.
    mutating func note(_ answer: [String: VariantValue]) -> [String: VariantValue] {
        let missed = told.filter { name, value in answer[name].map { $0 != value } ?? false }
        // These change without a word, so that they are never compared.
        told.merge(answer.filter { $0.key != "Directory" && $0.key != "Constraints" }) { current, _ in current }
        return missed
    }
}

/// What the server tells without being asked.
extension BusServer {
    /// Tells those who watch, and may reach the transfer, how it stands.
    package func tell(_ status: TransferStatus) {
        guard let bus = connection.bus else { return }
        lazy var fields = status.fields
        for watcher in watchers.values where watcher.reaches(status.app) {
            if connection.isStalled(watcher.name) {
                miss(watcher.name) { $0.transfers.insert(status.id) }
                continue
            }
            // One who has just gone misses nothing.
            try? bus.emit(
                "Changed", of: TransferBusName.managerInterface, at: TransferBusName.managerPath, to: watcher.name,
                [.dictionary(fields)], type: "(a{sv})")
        }
        guard !readers.isEmpty else { return }
        let path = "\(TransferBusName.transfersPath)/\(status.id.rawValue)"
        tellReaders(of: path, TransferBusName.transferInterface, TransferObject.changes(of: fields))
        if status.state.isOver {
            readers[path]?.isOver = true
            dropReaders(of: path)
        }
        if let session = status.session { tellSession(SessionKey(app: status.app, identifier: session)) }
    }

    /// Tells those who watch what the machine is like.
    package func tell(_ conditions: Conditions) {
        tellWatchers { $0.conditions = ConditionsReport(conditions, isForPerson: $1.isPerson) }
    }

    /// Tells those who watch of the hold on everything.
    package func tell(_ hold: Fact<MachineHold?>) {
        tellWatchers { $0.held = HoldStatus(hold, tellingReason: !$1.isSandboxed) }
    }

    /// Tells those who watch what has changed of the manager, as each may see it.
    private func tellWatchers(_ change: (inout DaemonStatus, BusCaller) -> Void) {
        guard connection.bus != nil else { return }
        for watcher in watchers.values {
            if connection.isStalled(watcher.name) {
                miss(watcher.name) { $0.manager = true }
                continue
            }
            var status = DaemonStatus()
            change(&status, watcher)
            connection.emitChanged(status.fields, of: TransferBusName.managerInterface, to: watcher.name)
        }
    }

    // MARK: Objects

    /// Notes that a caller reads an object's properties, and is told of changes from now on: before the answer is made, so
    /// that none falls between. Nobody is noted who may not reach the object (rule C6).
    ///
    /// - Returns: whether `endReading` is to follow.
    /// - Throws: `BusFault` where the caller reads more objects than it may.
    func beginReading(_ call: BusCall, by caller: BusCaller) throws(BusFault) -> Bool {
        guard call.interface == TransferBusName.properties else { return false }
        if let id = BusObject.transfer(at: call.path) {
            // What is over does not change any more.
            guard service.isUnfinished(id, for: caller) else { return false }
        } else {
            guard let session = BusObject.session(at: call.path), caller.reaches(session.app) else { return false }
            // Any name may be asked for: of sessions that are not there, only some are noted.
            let isKnown = readers[call.path] != nil || service.unfinishedSessions(for: caller).contains(session)
            guard isKnown || readObjects[call.sender, default: 0] < CallerLimits.guessedSessions else { return false }
        }
        guard readers[call.path]?.names.contains(call.sender) != true else {
            readers[call.path]?.pending += 1
            return true
        }
        guard readObjects[call.sender, default: 0] < CallerLimits.readObjects else {
            throw BusFault(
                .limitExceeded,
                "this connection has read \(CallerLimits.readObjects) objects and is told of their changes; it may read no "
                    + "more of them: use List, or connect anew")
        }
        readObjects[call.sender, default: 0] += 1
        readers[call.path, default: ObjectReaders()].names.insert(call.sender)
        readers[call.path]?.pending += 1
        return true
    }

    /// The caller was answered; nil where it was refused.
    func endReading(_ call: BusCall, _ values: [VariantValue]?) {
        readers[call.path]?.pending -= 1
        if readers[call.path]?.names.contains(call.sender) != true {
            // It has gone meanwhile.
        } else if let value = values?.first, connection.bus != nil {
            let name = call.arguments.last?.string ?? ""
            let answer = call.method == "GetAll" ? value.dictionary ?? [:] : [name: value]
            let missed = readers[call.path]?.note(answer) ?? [:]
            if !missed.isEmpty, let interface = call.arguments.first?.string {
                connection.emitChanged(missed, of: interface, to: call.sender, at: call.path)
            }
        } else {
            removeReader(call.sender, of: call.path)
        }
        dropReaders(of: call.path)
    }

    private func dropReaders(of path: String) {
        guard let reader = readers[path], reader.pending == 0, reader.isOver || reader.names.isEmpty else { return }
        for name in reader.names { removeReader(name, of: path) }
        readers[path] = nil
    }

    private func removeReader(_ name: String, of path: String) {
        guard readers[path]?.names.remove(name) != nil, let count = readObjects[name] else { return }
        readObjects[name] = count > 1 ? count - 1 : nil
    }

    /// A caller has gone.
    func forgetReader(_ name: String) {
        for (path, reader) in readers where reader.names.contains(name) {
            removeReader(name, of: path)
            dropReaders(of: path)
        }
    }

    private func tellReaders(of path: String, _ interface: String, _ properties: [String: VariantValue]) {
        guard connection.bus != nil, let changed = readers[path]?.changes(to: properties), !changed.isEmpty else {
            return
        }
        for name in readers[path]?.names.sorted() ?? [] {
            if connection.isStalled(name) {
                miss(name) { $0.objects[path] = interface }
            } else {
                connection.emitChanged(changed, of: interface, to: name, at: path)
            }
        }
    }

    private func tellSession(_ name: SessionKey) {
        let path = name.path
        guard readers[path] != nil else { return }
        let caller = BusCaller(name: "", app: name.app, kind: .app)
        Task {
            let sessions = try await service.service(for: caller).sessions()
            let session = sessions.first { $0.name == name } ?? SessionStatus(name)
            tellReaders(of: path, TransferBusName.sessionInterface, session.properties)
        }
    }
}
