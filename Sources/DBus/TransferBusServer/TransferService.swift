// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferBusProtocol
package import TransferModel

/// What stands behind the bus: it answers what callers ask for.
///
/// Each method throws `BusFault` where it will not; other errors are told as `StoreFailed`.
package protocol TransferService: SessionService {
    /// Hands transfers over, all or none.
    func submit(_ requests: [TransferRequest], from caller: BusCaller) async throws -> [TransferID]
    /// The transfers that the caller may reach.
    func list(_ filter: TransferFilter, for caller: BusCaller) async throws -> [TransferStatus]
    /// One transfer, with all there is to say of it.
    func show(_ id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue]
    /// Why a transfer waits.
    func explain(_ id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue]
    /// Does something to transfers that are not over; to all of them or, where one cannot be reached, to none.
    func steer(_ ids: [TransferID], _ deed: TransferDeed, for caller: BusCaller) async throws
    /// Changes what a transfer asks for.
    func change(_ id: TransferID, _ values: [String: VariantValue], for caller: BusCaller) async throws
    /// Holds everything back; nil takes that back.
    func hold(_ hold: HoldRequest?, for caller: BusCaller) async throws
    /// The relaunch limiters that hold something back, of all apps that the caller may reach.
    func limiters(for caller: BusCaller) async throws -> [[String: VariantValue]]
    /// The sessions that the caller may reach.
    func sessions(for caller: BusCaller) async throws -> [SessionStatus]
    /// The apps that the caller may reach.
    func apps(for caller: BusCaller) async throws -> [[String: VariantValue]]
    /// Cancels all that an app has, as the person ends it for good; says how many there were.
    func quit(_ app: String, for caller: BusCaller) async throws -> Int
    /// A page of what was recorded since then: transfers that the caller may reach and, for the person, what the machine
    /// was like. It begins where `place` says, the `next` of the page before; nil begins.
    func history(
        since start: WallTime, from place: String?, for caller: BusCaller
    ) async throws -> [String: VariantValue]
    /// What happened to one transfer.
    func log(of id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue]
    /// Admits, or no longer admits, the sandboxes of a systemd unit.
    func trust(_ unit: String, _ isTrusted: Bool, for caller: BusCaller) async throws
    /// The systemd units whose sandboxes a person has admitted.
    nonisolated var trustedSandboxes: Set<String> { get }
    /// Opens a finished file for reading; the descriptor is the receiver's to close.
    func open(_ id: TransferID, for caller: BusCaller) async throws -> Int32
    /// Removes a finished file from the daemon's own folder.
    func discard(_ id: TransferID, for caller: BusCaller) async throws
    /// How those of the transfers stand that are known and that the caller may reach.
    func statuses(of ids: [TransferID], for caller: BusCaller) async -> [TransferStatus]
    /// What the wall clock shows.
    var now: WallTime { get }
    /// Counts and times as Prometheus reads them.
    var metrics: String { get }
    /// Whether a transfer is unfinished and the caller may reach it: only then it is an object on the bus.
    nonisolated func isUnfinished(_ id: TransferID, for caller: BusCaller) -> Bool
    /// The unfinished transfers that the caller may reach, by number: the objects on the bus.
    nonisolated func unfinishedTransfers(for caller: BusCaller) -> [TransferID]
    /// The sessions with unfinished transfers that the caller may reach: the objects on the bus.
    nonisolated func unfinishedSessions(for caller: BusCaller) -> [SessionKey]
    /// The manager's properties, of the types that its interface declares, as the caller may see them.
    func properties(for caller: BusCaller) async -> [String: VariantValue]
}
