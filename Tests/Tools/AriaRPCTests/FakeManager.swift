// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel

/// A daemon in memory. Downloads do nothing until a test changes their state.
final class FakeManager: WatchedTransferManager, EndedTransferManager {
    struct State {
        var transfers: [TransferID: TransferStatus] = [:]
        var specifications: [TransferID: TransferSpecification] = [:]
        var controls: [String] = []
        var next: Int64 = 1
    }

    let state = Mutex(State())

    func submit(_ requests: [TransferRequest]) async throws -> [TransferID] {
        state.withLock { state in
            requests.map { request in
                let id = TransferID(state.next)
                state.next += 1
                let (specification, traits) = (request.specification, request.specification.traits)
                var status = TransferStatus(
                    id: id, url: specification.url, name: specification.destination.name ?? "file", app: "rpc",
                    isUpload: false, kind: traits.kind, priority: traits.priority, state: .waiting,
                    submitted: traits.submitted)
                status.sentence = "on battery — starts 10 s after you plug in"
                (state.transfers[id], state.specifications[id]) = (status, specification)
                return id
            }
        }
    }

    func list(_ filter: TransferFilter) async throws -> [TransferStatus] {
        state.withLock { state in
            let all = state.transfers.values.sorted { $0.id < $1.id }
            return all.filter { !$0.state.isEnded } + all.filter(\.state.isEnded).reversed().prefix(filter.ended)
        }
    }

    func show(_ id: TransferID) async throws -> TransferDetails {
        try state.withLock { state in
            guard let status = state.transfers[id] else { throw FakeError() }
            var details = TransferDetails(status)
            details.directory = state.specifications[id]?.destination.directory
            return details
        }
    }

    func explain(_ id: TransferID) async throws -> WaitExplanation { throw FakeError() }

    func control(_ ids: [TransferID], _ action: ControlAction) async throws {
        state.withLock { state in
            for id in ids {
                state.controls.append("\(action.rawValue) \(id)")
                state.transfers[id]?.state =
                    switch action {
                    case .pause: .paused
                    case .resume, .startNow: .waiting
                    case .cancel: .cancelled
                    }
            }
        }
    }

    func change(_ id: TransferID, _ change: ChangeRequest) async throws {
        state.withLock { state in
            if let priority = change.priority { state.transfers[id]?.priority = priority }
            if let kind = change.kind { state.transfers[id]?.kind = kind }
            if change.constraints.removed?.contains(.notBefore) == true {
                state.specifications[id]?.traits.constraints.notBefore = nil
            }
        }
    }

    func updates() async throws -> AsyncStream<ServiceUpdate> { AsyncStream { $0.finish() } }

    func retry(_ ids: [TransferID]) async throws -> [TransferID] { throw FakeError() }

    func retry(_ id: TransferID, from url: String) async throws -> TransferID { throw FakeError() }

    func remove(_ ids: [TransferID]) async throws {
        state.withLock { state in for id in ids { state.transfers[id] = nil } }
    }

    func set(_ id: Int64, _ change: (inout TransferStatus) -> Void) {
        state.withLock { state in
            guard var status = state.transfers[TransferID(id)] else { return }
            change(&status)
            state.transfers[TransferID(id)] = status
        }
    }

    func specification(_ id: Int64) -> TransferSpecification? { state.withLock { $0.specifications[TransferID(id)] } }
}

struct FakeError: Error {}
