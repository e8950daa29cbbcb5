// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The one interface of everything that can be asked of whoever carries transfers out, in model types.
///
/// A daemon serves it for each of its callers, the bus client is one over D-Bus, and a program that carries transfers out
/// itself has one over its engine. What changes something returns after the change is durable.
///
/// ```swift
/// let ids = try await service.submit([TransferRequest(specification)])
/// let waiting = try await service.explain(ids[0])
/// print(waiting.sentence)
/// ```
package protocol TransferService: Sendable {
    /// Submits transfers, all or none; their numbers come in the same order.
    func submit(_ requests: [TransferRequest]) async throws -> [TransferID]
    /// The transfers that fit and that the caller may reach, the unfinished ones first.
    func list(_ filter: TransferFilter) async throws -> [TransferStatus]
    /// One transfer, with all there is to say of it.
    func show(_ id: TransferID) async throws -> TransferDetails
    /// The reasons why a transfer waits.
    func explain(_ id: TransferID) async throws -> WaitExplanation
    /// Carries an action out on unfinished transfers; on all of them or, where one cannot be reached, on none.
    func control(_ ids: [TransferID], _ action: ControlAction) async throws
    /// Changes what a transfer asks for.
    func change(_ id: TransferID, _ change: ChangeRequest) async throws
}

/// A service that shares the machine among apps: a daemon, as one of its callers may use it.
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
package protocol SharedTransferService: TransferService {
    /// Holds everything back; nil takes that back.
    func hold(_ request: HoldRequest?) async throws
    /// The state of the service and of the machine.
    func status() async throws -> DaemonStatus
    /// Counts and times since the start, as Prometheus reads them.
    func metrics() async throws -> String
    /// The sessions that the caller may reach.
    func sessions() async throws -> [SessionStatus]
    /// The apps that the caller may reach.
    func apps() async throws -> [AppSummary]
    /// The delays of apps that were started again and again, of all apps that the caller may reach.
    func relaunchDelays() async throws -> [RelaunchDelay]
    /// The budgets of metered bytes that the caller may know of.
    func budgets() async throws -> [BudgetStatus]
    /// Cancels all that an app has, as the person ends it for good; returns how many there were.
    func quit(_ app: String) async throws -> Int
    /// Admits, or no longer admits, the sandboxes of a systemd unit.
    func trust(_ unit: String, _ isTrusted: Bool) async throws
    /// A page of what was recorded since then. It begins where `place` says, the `next` of the page before; nil begins.
    func history(since start: WallTime, from place: String?) async throws -> HistoryPage
    /// What happened to one transfer.
    func log(of id: TransferID) async throws -> HistoryTransfer
}

/// A service that tells what changes.
package protocol WatchedTransferService: TransferService {
    /// What changes from now on, until the service's end.
    func updates() async throws -> AsyncStream<ServiceUpdate>
}
