// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The changes that apps have requested and that are not yet answered, in order of arrival.
///
/// A program may send `Pause` and then `Resume` without waiting for the first reply, and the last call must win. A
/// change therefore waits for the app's earlier changes to the same transfers. All other changes run concurrently, so
/// that many share a single sync of the disk.
struct ChangeOrder {
    /// The transfers that a call changes.
    enum Subject: Equatable {
        case transfers([TransferID])
        /// Transfers that are known only once the call is answered, such as the transfers of a session.
        case any
    }

    private struct Change {
        let number: Int
        let task: Task<Void, Never>
    }

    private struct App {
        /// The latest change to each transfer.
        var latest: [TransferID: Change] = [:]
        /// The latest change with the subject `any`.
        var ofAny: Change?
    }

    private var apps: [String: App] = [:]
    private var lastNumber = 0

    /// Creates a number for a change that is about to be added.
    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Returns the tasks of the app's changes that must end before a new change begins.
    func earlier(than subject: Subject, of app: String) -> Set<Task<Void, Never>> {
        guard let state = apps[app] else { return [] }
        let changes: [Change]
        switch subject {
        case .transfers(let ids): changes = ids.compactMap { state.latest[$0] }
        case .any: changes = Array(state.latest.values)
        }
        return Set((changes + [state.ofAny].compactMap { $0 }).map(\.task))
    }

    /// Adds a change. Its task must end after the change is answered.
    mutating func add(_ number: Int, _ task: Task<Void, Never>, of subject: Subject, by app: String) {
        let change = Change(number: number, task: task)
        switch subject {
        case .transfers(let ids): for id in ids { apps[app, default: App()].latest[id] = change }
        // A change with the subject `any` waits for all earlier changes. Later changes therefore need to wait only
        // for this change.
        case .any: apps[app] = App(ofAny: change)
        }
    }

    /// Removes an answered change, unless a later change has replaced it. Ended changes therefore do not accumulate
    /// for an app that always has changes in progress.
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
    /// Finds the transfers that a call changes. Returns `nil` if the call changes none.
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
        } else {
            guard SessionObjectCalls.sessionActions[method] != nil else { return nil }
            self = .any
        }
    }
}
