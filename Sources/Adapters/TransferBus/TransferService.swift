// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferPolicy

/// What stands behind the bus: it answers what callers ask for.
///
/// Each method throws `BusFault` where it will not; other errors are told as `StoreFailed`.
package protocol TransferService: Sendable {
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
    /// What the wall clock shows.
    var now: WallTime { get }
    /// The manager's properties, of the types that its interface declares.
    func properties() async -> [String: VariantValue]
}

/// What can be done to a transfer.
package enum TransferDeed: String, Hashable, Sendable, CaseIterable {
    case pause = "Pause"
    case resume = "Resume"
    case cancel = "Cancel"
    case startNow = "StartNow"
}

/// Which transfers are listed.
package struct TransferFilter: Hashable, Sendable {
    /// Those of this session only.
    package var session: String?
    /// Those of this app only.
    package var app: String?
    /// How many of those that are over, newest first.
    package var ended = 0
    /// Whether each that waits says why.
    package var isExplained = false

    /// All that are not over.
    package init() {}

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = ["ended": .integer(Int64(ended)), "explained": .bool(isExplained)]
        fields["session"] = .optional(session)
        fields["app"] = .optional(app)
        return fields
    }

    /// Reads what came over the bus.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        session = try fields.string("session")
        app = try fields.string("app")
        ended = Int(try fields.integer("ended", in: 0...1_000_000) ?? 0)
        isExplained = try fields.flag("explained") ?? false
        try fields.end(in: "a filter")
    }
}

/// A hold that somebody asks for.
package struct HoldRequest: Hashable, Sendable {
    /// How long, in seconds; nil until it is released.
    package var seconds: Int64?
    /// Why, for people.
    package var reason: String

    /// A hold.
    package init(seconds: Int64?, reason: String) {
        self.seconds = seconds
        self.reason = reason
    }
}
