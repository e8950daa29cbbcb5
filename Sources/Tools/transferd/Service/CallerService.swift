// SPDX-License-Identifier: Apache-2.0
import TransferBusServer
import TransferEngine
import TransferModel

/// The daemon's service as one of its callers may use it.
struct CallerService: SharedTransferService {
    let daemon: DaemonService
    let caller: BusCaller

    func submit(_ requests: [TransferRequest]) async throws -> [TransferID] {
        try await daemon.submit(requests, from: caller)
    }

    func list(_ filter: TransferFilter) async throws -> [TransferStatus] { await daemon.list(filter, for: caller) }

    func show(_ id: TransferID) async throws -> TransferDetails { try await daemon.show(id, for: caller) }

    func explain(_ id: TransferID) async throws -> WaitExplanation { try await daemon.explain(id, for: caller) }

    func control(_ ids: [TransferID], _ action: ControlAction) async throws {
        try await daemon.control(ids, action, for: caller)
    }

    func change(_ id: TransferID, _ change: ChangeRequest) async throws {
        try await daemon.change(id, change, for: caller)
    }

    func hold(_ request: HoldRequest?) async throws { try await daemon.hold(request, for: caller) }

    func status() async throws -> DaemonStatus { await daemon.status(for: caller) }

    func metrics() async throws -> String { try daemon.metrics(for: caller) }

    func sessions() async throws -> [SessionStatus] { await daemon.sessions(for: caller) }

    func apps() async throws -> [AppSummary] { await daemon.apps(for: caller) }

    func relaunchDelays() async throws -> [RelaunchDelay] { await daemon.relaunchDelays(for: caller) }

    func budgets() async throws -> [BudgetStatus] { await daemon.budgets(for: caller) }

    func quit(_ app: String) async throws -> Int { try await daemon.quit(app, for: caller) }

    func trust(_ unit: String, _ isTrusted: Bool) async throws {
        try await daemon.trust(unit, isTrusted, for: caller)
    }

    func history(since start: WallTime, from place: String?) async throws -> HistoryPage {
        try await daemon.history(since: start, from: place, for: caller)
    }

    func log(of id: TransferID) async throws -> HistoryTransfer { try await daemon.log(of: id, for: caller) }
}
