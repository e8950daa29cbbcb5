// SPDX-License-Identifier: Apache-2.0
internal import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
package import TransferModel

/// The service of the daemon over D-Bus.
extension BusClient: SharedTransferManager {
    /// The maximum number of transfers per message, which limits the size of a message.
    private static let maximumBatchSize = 2000

    package func submit(_ requests: [TransferRequest]) async throws -> [TransferID] {
        var ids: [TransferID] = []
        for start in stride(from: 0, to: requests.count, by: Self.maximumBatchSize) {
            let batch = requests[start..<min(start + Self.maximumBatchSize, requests.count)]
            let reply = try await call("Submit", [.list(batch.map { .dictionary($0.fields) })], type: "(aa{sv})")
            ids += (reply.first?.items ?? []).compactMap { $0.integer.map(TransferID.init) }
        }
        return ids
    }

    package func list(_ filter: TransferFilter) async throws -> [TransferStatus] {
        let reply = try await call("ListJSON", [.dictionary(filter.fields)], type: "(a{sv})")
        guard case .bytes(let bytes)? = reply.first else {
            throw BusClientError.failed("the daemon's reply to ListJSON has no bytes")
        }
        return try TransferListJSON.rows(bytes)
    }

    package func show(_ id: TransferID) async throws -> TransferDetails { try await reply("Show", id) }

    package func explain(_ id: TransferID) async throws -> WaitExplanation { try await reply("Explain", id) }

    package func control(_ ids: [TransferID], _ action: ControlAction) async throws {
        _ = try await call(action.rawValue, [.list(ids.map { .integer($0.rawValue) })], type: "(ax)")
    }

    package func change(_ id: TransferID, _ change: ChangeRequest) async throws {
        _ = try await call("Change", [.integer(id.rawValue), .dictionary(change.fields)], type: "(xa{sv})")
    }

    package func hold(_ request: HoldRequest?) async throws {
        guard let request else {
            _ = try await call("Release")
            return
        }
        _ = try await call("Hold", [.integer(request.seconds ?? 0), .string(request.reason)], type: "(ts)")
    }

    package func status() async throws -> DaemonStatus { try await status(startsService: true) }

    /// Returns the state of the daemon.
    ///
    /// - Parameter startsService: Whether the bus may start the daemon for the call.
    /// - Throws: `BusClientError.noDaemon` if no daemon is running and the bus may not start one.
    package func status(startsService: Bool) async throws -> DaemonStatus {
        let values = try await call(
            "GetAll", of: TransferBusName.properties, [.string(TransferBusName.managerInterface)], type: "(s)",
            startsService: startsService)
        return try DaemonStatus(values.first?.dictionary ?? [:])
    }

    package func metrics() async throws -> String { try await call("Metrics").first?.string ?? "" }

    package func sessions() async throws -> [SessionStatus] { try await rows("Sessions") }

    package func apps() async throws -> [AppSummary] { try await rows("Apps") }

    package func relaunchDelays() async throws -> [RelaunchDelayStatus] { try await rows("Limiters") }

    package func budgets() async throws -> [BudgetStatus] { try await rows("Budgets") }

    package func quit(_ app: String) async throws -> Int {
        Int(try await call("QuitApp", [.string(app)], type: "(s)").first?.integer ?? 0)
    }

    package func trust(_ unit: String, _ isTrusted: Bool) async throws {
        _ = try await call("TrustSandbox", [.string(unit), .bool(isTrusted)], type: "(sb)")
    }

    package func history(since start: WallTime, from position: String?) async throws -> HistoryPage {
        let since = VariantValue.string(BusDate(start).description)
        let reply =
            if let position {
                try await call("HistoryFrom", [since, .string(position)], type: "(ss)")
            } else {
                try await call("History", [since], type: "(s)")
            }
        return try HistoryPage(reply.first?.dictionary ?? [:])
    }

    package func log(of id: TransferID) async throws -> HistoryTransfer { try await reply("Log", id) }

    /// Calls a method with one transfer as its argument, and decodes the reply.
    private func reply<Reply: VariantCoded>(_ method: String, _ id: TransferID) async throws -> Reply {
        try Reply(try await call(method, [.integer(id.rawValue)], type: "(x)").first?.dictionary ?? [:])
    }

    /// Calls a method without arguments, and decodes the list in the reply.
    private func rows<Row: VariantCoded>(_ method: String) async throws -> [Row] {
        try (try await call(method).first?.items ?? []).map { try Row($0.dictionary ?? [:]) }
    }
}

/// The ended transfers of the daemon over D-Bus.
package struct EndedTransfers: EndedTransferManager {
    private let client: BusClient

    /// Creates a view of the ended transfers that a connected client reaches.
    package init(of client: BusClient) { self.client = client }

    /// Returns the latest 1,000 ended transfers of an app that belong to no session, newest first.
    package func latest(of app: String) async throws -> [TransferStatus] {
        var filter = TransferFilter()
        (filter.ended, filter.app) = (1000, app)
        return try await client.list(filter).filter { $0.state.isEnded && $0.session == nil }
    }

    package func retry(_ ids: [TransferID]) async throws -> [TransferID] {
        let reply = try await client.call("Retry", [.list(ids.map { .integer($0.rawValue) })], type: "(ax)")
        return (reply.first?.items ?? []).compactMap { $0.integer.map(TransferID.init) }
    }

    package func retry(_ id: TransferID, from url: String) async throws -> TransferID {
        let reply = try await client.call("RetryFrom", [.integer(id.rawValue), .string(url)], type: "(xs)")
        return TransferID(reply.first?.integer ?? 0)
    }

    package func remove(_ ids: [TransferID]) async throws {
        _ = try await client.call("Remove", [.list(ids.map { .integer($0.rawValue) })], type: "(ax)")
    }
}
