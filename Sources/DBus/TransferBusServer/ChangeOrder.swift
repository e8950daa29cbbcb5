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

    private struct App {
        /// The latest change of each transfer.
        var latest: [TransferID: Task<Void, Never>] = [:]
        /// The latest change of transfers that were not known.
        var ofAny: Task<Void, Never>?
        var count = 0
    }

    private var apps: [String: App] = [:]

    /// The changes that have to end before one of an app may begin.
    func earlier(than subject: Subject, of app: String) -> Set<Task<Void, Never>> {
        guard let state = apps[app] else { return [] }
        let tasks: [Task<Void, Never>]
        switch subject {
        case .transfers(let ids): tasks = ids.compactMap { state.latest[$0] }
        case .any: tasks = Array(state.latest.values)
        }
        return Set(tasks + [state.ofAny].compactMap { $0 })
    }

    /// Adds a change that has come; the task ends with its answer.
    mutating func add(_ task: Task<Void, Never>, of subject: Subject, by app: String) {
        apps[app, default: App()].count += 1
        switch subject {
        case .transfers(let ids): for id in ids { apps[app]?.latest[id] = task }
        case .any:
            // It waits for all of these itself.
            apps[app]?.latest = [:]
            apps[app]?.ofAny = task
        }
    }

    /// Notes that a change of an app has been answered. What has ended delays nobody, so all is forgotten at once, when
    /// nothing of the app is under way.
    mutating func end(of app: String) {
        guard var state = apps.removeValue(forKey: app) else { return }
        state.count -= 1
        if state.count > 0 { apps[app] = state }
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
            guard ["PauseAll", "ResumeAll", "CancelAll"].contains(method) else { return nil }
            self = .any
        }
    }
}
