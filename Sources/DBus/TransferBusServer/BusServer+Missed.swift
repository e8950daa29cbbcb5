// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// News that a caller was not told, because it does not read what it is sent: kept as what has changed, not as messages, so
/// that a caller that is stopped for a week costs a bounded number of bytes (rule C7).
struct MissedNews {
    var transfers: Set<TransferID> = []
    /// The interfaces of objects whose properties have changed, by their paths.
    var objects: [String: String] = [:]
    /// Whether properties of the manager have changed.
    var manager = false

    mutating func forgetTransfers() { (transfers, manager) = ([], false) }

    var count: Int { transfers.count + objects.count }
}

/// Back-pressure: a caller that reads nothing is told nothing, and is told how things stand once it reads again.
extension BusServer {
    /// Asks a caller to show that it reads: its library answers by itself, unless the process is stopped or hangs.
    func askToConfirm(_ name: String) {
        connection.ping(name) { self.confirmed(name) }
    }

    /// Notes what a stalled caller is not told; one that misses too much is told nothing any more.
    func miss(_ name: String, _ body: (inout MissedNews) -> Void) {
        body(&missed[name, default: MissedNews()])
        guard let count = missed[name]?.count, count > CallerLimits.missedChanges else { return }
        missed[name] = nil
        watchers[name] = nil
        forgetReader(name)
    }

    private func confirmed(_ name: String) {
        guard connection.flow?.confirm(name) == true else { return }
        resumeCalls(of: name)
        guard let news = missed.removeValue(forKey: name), let caller = callers[name] else { return }
        Task {
            if news.manager, watchers[name] != nil {
                var changed = DaemonStatus()
                let status = try? await service.service(for: caller).status()
                (changed.held, changed.conditions) = (status?.held, status?.conditions)
                connection.emitChanged(changed.fields, of: TransferBusName.managerInterface, to: name)
            }
            if watchers[name] != nil {
                for status in service.statuses(of: news.transfers.sorted(), for: caller) {
                    try? connection.bus?.emit(
                        "Changed", of: TransferBusName.managerInterface, at: TransferBusName.managerPath, to: name,
                        [.dictionary(status.fields)], type: "(a{sv})")
                }
            }
            for (path, interface) in news.objects.sorted(by: { $0.key < $1.key }) {
                if let reader = readers[path] {
                    if reader.names.contains(name) {
                        connection.emitChanged(reader.told, of: interface, to: name, at: path)
                    }
                } else if let id = BusObject.transfer(at: path),
                    let status = service.statuses(of: [id], for: caller).first
                {
                    // It has ended meanwhile, and has no readers any more.
                    connection.emitChanged(TransferObject.changes(of: status.fields), of: interface, to: name, at: path)
                }
            }
        }
    }
}
