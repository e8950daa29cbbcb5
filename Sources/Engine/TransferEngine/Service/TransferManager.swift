// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A manager of transfers. All requests use the types of the model.
///
/// A daemon implements this interface for each of its callers, and the bus client implements it over D-Bus. A program
/// that carries out its own transfers implements it over its engine. Methods that make changes return after the
/// changes are durable.
///
/// ```swift
/// let ids = try await manager.submit([TransferRequest(specification)])
/// let waiting = try await manager.explain(ids[0])
/// print(waiting.sentence)
/// ```
package protocol TransferManager: Sendable {
    /// Submits transfers, all or none. Returns the IDs of the transfers, in the order of `requests`.
    func submit(_ requests: [TransferRequest]) async throws -> [TransferID]
    /// Returns the transfers that match the filter and that the caller may access, the unfinished transfers first.
    func list(_ filter: TransferFilter) async throws -> [TransferStatus]
    /// Returns all details of a transfer.
    func show(_ id: TransferID) async throws -> TransferDetails
    /// Returns the reasons why a transfer waits.
    func explain(_ id: TransferID) async throws -> WaitExplanation
    /// Performs an action on unfinished transfers. If one of the transfers is not accessible, the action affects none
    /// of them.
    func control(_ ids: [TransferID], _ action: ControlAction) async throws
    /// Changes the requirements of a transfer, or its URL.
    func change(_ id: TransferID, _ change: ChangeRequest) async throws
}

/// A manager that several apps share: a daemon, with the rights of one of its callers.
///
/// ## Topics
/// ### Sessions and apps
/// - ``sessions()``
/// - ``apps()``
/// - ``relaunchDelays()``
/// - ``budgets()``
/// - ``quit(_:)``
/// - ``trust(_:_:)``
/// ### The whole machine
/// - ``hold(_:)``
/// - ``status()``
/// - ``metrics()``
/// ### The past
/// - ``history(since:from:)``
/// - ``log(of:)``
package protocol SharedTransferManager: TransferManager {
    /// Holds all transfers back, or removes the hold if `request` is `nil`.
    func hold(_ request: HoldRequest?) async throws
    /// Returns the state of the manager and of the machine.
    func status() async throws -> DaemonStatus
    /// Returns the counters and timers since the start, in the Prometheus text format.
    func metrics() async throws -> String
    /// Returns the sessions that the caller may access.
    func sessions() async throws -> [SessionStatus]
    /// Returns the apps that the caller may access.
    func apps() async throws -> [AppSummary]
    /// Returns the delays of apps that were started repeatedly, for all apps that the caller may access.
    func relaunchDelays() async throws -> [RelaunchDelayStatus]
    /// Returns the budgets of metered bytes that the caller may see.
    func budgets() async throws -> [BudgetStatus]
    /// Cancels all transfers of an app, as if the user had quit the app. Returns the number of transfers.
    func quit(_ app: String) async throws -> Int
    /// Trusts the sandboxes of a systemd unit, or stops trusting them.
    func trust(_ unit: String, _ isTrusted: Bool) async throws
    /// Returns a page of the history since `start`.
    ///
    /// To get the next page, pass the `next` of the previous page. The value `nil` returns the first page.
    func history(since start: WallTime, from position: String?) async throws -> HistoryPage
    /// Returns the history of a transfer.
    func log(of id: TransferID) async throws -> HistoryTransfer
}

/// A manager that reports changes.
package protocol WatchedTransferManager: TransferManager {
    /// Returns a stream of all changes from now on, until the manager's end.
    func updates() async throws -> AsyncStream<ServiceUpdate>
}

/// A manager that keeps ended transfers and accepts requests about them.
package protocol EndedTransferManager: Sendable {
    /// Submits failed and canceled transfers again, all or none. Returns the IDs of the new transfers, in the order of
    /// `ids`.
    func retry(_ ids: [TransferID]) async throws -> [TransferID]
    /// Submits a failed or canceled download again with another URL. Returns the ID of the new transfer.
    func retry(_ id: TransferID, from url: String) async throws -> TransferID
    /// Removes ended transfers from lists, all or none. Their files and their history stay.
    func remove(_ ids: [TransferID]) async throws
}
