// SPDX-License-Identifier: Apache-2.0
import Synchronization
package import TransferBusProtocol
package import TransferModel

/// Whose the transfers are that are not over, for who has to know it at once.
package final class TransferIndex: Sendable {
    private struct State {
        var owners: [TransferID: SessionName] = [:]
        var sessions: [SessionName: Int] = [:]
    }

    private let state = Mutex(State())

    /// Without any.
    package init() {}

    /// One more.
    package func insert(_ id: TransferID, app: String, session: String?) {
        let owner = SessionName(app: app, identifier: session ?? "")
        state.withLock { state in
            guard state.owners.updateValue(owner, forKey: id) == nil else { return }
            if session != nil { state.sessions[owner, default: 0] += 1 }
        }
    }

    /// One that is over.
    package func remove(_ id: TransferID) {
        state.withLock { state in
            guard let owner = state.owners.removeValue(forKey: id), let count = state.sessions[owner] else { return }
            state.sessions[owner] = count > 1 ? count - 1 : nil
        }
    }

    /// Whether one is not over.
    package func contains(_ id: TransferID) -> Bool { state.withLock { $0.owners[id] != nil } }

    /// Whether a transfer is unfinished and the caller may reach it.
    package func isOpen(_ id: TransferID, for caller: BusCaller) -> Bool {
        state.withLock { state in state.owners[id].map { caller.reaches($0.app) } ?? false }
    }

    /// Those that the caller may reach, by number.
    package func transfers(for caller: BusCaller) -> [TransferID] {
        state.withLock { state in
            state.owners.filter { caller.reaches($0.value.app) }.keys.sorted()
        }
    }

    /// The sessions that the caller may reach.
    package func sessions(for caller: BusCaller) -> [SessionName] {
        state.withLock { state in
            state.sessions.keys.filter { caller.reaches($0.app) }.sorted {
                ($0.app, $0.identifier) < ($1.app, $1.identifier)
            }
        }
    }
}

extension BusCaller {
    /// Whether what belongs to `app` is the caller's to see and to steer.
    package func reaches(_ app: String) -> Bool { isPerson || self.app == app }
}
