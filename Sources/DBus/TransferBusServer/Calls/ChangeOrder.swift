// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The changes that apps have asked for and that have not been answered, in the order in which they came.
///
/// A program may send `Pause` and then `Resume` without waiting for the first answer, and the last one counts. A change
/// waits for the earlier ones of its app that are about the same transfers. All others go on beside it, so that many
/// share one sync of the disk.
struct ChangeOrder {
    /// The transfers that a call changes.
    enum Subject: Equatable {
        case transfers([TransferID])
        /// Transfers that only the answer finds out, such as those of a session.
        case any
    }

    private struct Change {
        let number: Int
        let task: Task<Void, Never>
    }

    private struct App {
        /// The latest change of each transfer.
        var latest: [TransferID: Change] = [:]
        /// The latest change of transfers that were not known.
        var ofAny: Change?
    }

    private var apps: [String: App] = [:]
    private var lastNumber = 0

    /// The number of a change that is about to be added.
    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// The changes that have to end before one of an app may begin.
    func earlier(than subject: Subject, of app: String) -> Set<Task<Void, Never>> {
        guard let state = apps[app] else { return [] }
        let changes: [Change]
        switch subject {
        case .transfers(let ids): changes = ids.compactMap { state.latest[$0] }
        case .any: changes = Array(state.latest.values)
        }
        return Set((changes + [state.ofAny].compactMap { $0 }).map(\.task))
    }

    /// Adds a change that has come; the task ends with its answer.
    mutating func add(_ number: Int, _ task: Task<Void, Never>, of subject: Subject, by app: String) {
        let change = Change(number: number, task: task)
        switch subject {
        case .transfers(let ids): for id in ids { apps[app, default: App()].latest[id] = change }
        // It waits for all of the others itself.
        case .any: apps[app] = App(ofAny: change)
        }
    }

    /// Forgets a change that has been answered, unless a later one has taken its place. An app that always has some under
    /// way leaves nothing behind of those that have ended.
    mutating func end(_ number: Int, of subject: Subject, by app: String) {
        guard var state = apps.removeValue(forKey: app) else { return }
        if case .transfers(let ids) = subject {
            for id in ids where state.latest[id]?.number == number { state.latest[id] = nil }
        }
        if state.ofAny?.number == number { state.ofAny = nil }
        if !state.latest.isEmpty || state.ofAny != nil { apps[app] = state }
    }
}

extension ChangeOrder.Subject {
    /// The transfers that a call changes; nil where it changes none.
    init?(_ call: BusCall) {
        self.init(call.method, of: call.interface, at: call.path, call.arguments)
    }

    init?(_ method: String, of interface: String, at path: String, _ arguments: [VariantValue]) {
        guard interface != TransferBusName.properties else { return nil }
        let changesTransfers = method == "Change" || ControlAction(rawValue: method) != nil
        if path == TransferBusName.managerPath {
            if ["Hold", "Release", "QuitApp"].contains(method) {
                self = .any
            } else if changesTransfers, let named = arguments.first {
                let numbers = named.integer.map { [$0] } ?? named.items.compactMap(\.integer)
                self = .transfers(numbers.map(TransferID.init))
            } else {
                return nil
            }
        } else if let id = BusObject.transfer(at: path) {
            guard changesTransfers else { return nil }
            self = .transfers([id])
        } else {
            guard ObjectCalls.sessionActions[method] != nil else { return nil }
            self = .any
        }
    }
}
