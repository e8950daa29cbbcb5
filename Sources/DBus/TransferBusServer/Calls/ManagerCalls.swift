// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// The calls of the manager object.
struct ManagerCalls {
    /// The service with the caller's access rights.
    let service: any SharedTransferManager & EndedTransferManager
    let caller: BusCaller
    /// The current time of the wall clock.
    let now: WallTime

    /// Executes a method call and returns its reply values.
    ///
    /// - Throws: `BusFault`, or any error from the service.
    func reply(_ call: BusCall) async throws -> [VariantValue] {
        if call.interface == TransferBusName.properties {
            return try Self.property(call, of: TransferBusName.managerInterface, try await service.status().fields)
        }
        if let reply = try await replyAboutTransfers(call) { return reply }
        return try await replyAboutDaemon(call)
    }

    private func replyAboutTransfers(_ call: BusCall) async throws -> [VariantValue]? {
        let arguments = call.arguments
        switch call.method {
        case "Submit":
            let items = try arguments[0].items.map {
                try PassedFiles($0.dictionary ?? [:], call.descriptors, from: caller)
            }
            return [.list(try await service.submit(requests(items)).map { .integer($0.rawValue) })]
        case "List": return [.list(try await list(arguments[0]).map { .dictionary($0.fields) })]
        case "ListJSON": return [.bytes(try TransferListJSON.bytes(of: try await list(arguments[0])))]
        case "Show": return [.dictionary(try await service.show(id(arguments[0])).fields)]
        case "Explain": return [.dictionary(try await service.explain(id(arguments[0])).fields)]
        case "Log": return [.dictionary(try await service.log(of: id(arguments[0])).fields)]
        case "Change":
            try await service.change(id(arguments[0]), ChangeRequest(arguments[1].dictionary ?? [:]))
            return []
        case "Retry":
            return [.list(try await service.retry(arguments[0].items.map(id)).map { .integer($0.rawValue) })]
        case "RetryFrom":
            return [.integer(try await service.retry(id(arguments[0]), from: arguments[1].string ?? "").rawValue)]
        case "Remove":
            try await service.remove(arguments[0].items.map(id))
            return []
        default:
            guard let action = ControlAction(rawValue: call.method) else { return nil }
            try await service.control(arguments[0].items.map(id), action)
            return []
        }
    }

    private func replyAboutDaemon(_ call: BusCall) async throws -> [VariantValue] {
        let arguments = call.arguments
        switch call.method {
        case "Hold":
            let seconds = arguments[0].integer ?? 0
            try await service.hold(
                HoldRequest(seconds: seconds == 0 ? nil : seconds, reason: arguments[1].string ?? ""))
            return []
        case "Release":
            try await service.hold(nil)
            return []
        case "Limiters": return [.list(try await service.relaunchDelays().map { .dictionary($0.fields) })]
        case "Budgets": return [.list(try await service.budgets().map { .dictionary($0.fields) })]
        case "Sessions": return [.list(try await service.sessions().map { .dictionary($0.listed) })]
        case "Apps": return [.list(try await service.apps().map { .dictionary($0.fields) })]
        case "QuitApp": return [.integer(Int64(try await service.quit(arguments[0].string ?? "")))]
        case "History", "HistoryFrom":
            let text = arguments[0].string ?? ""
            guard let start = BusDate(parsing: text) else {
                throw BusFault(.invalidArgument, "'\(text.prefix(40))' is not an RFC 3339 date")
            }
            let position = arguments.count > 1 ? arguments[1].string : nil
            return [.dictionary(try await service.history(since: start.wall, from: position).fields)]
        case "TrustSandbox":
            try await service.trust(arguments[0].string ?? "", arguments[1] == .bool(true))
            return []
        case "Metrics": return [.string(try await service.metrics())]
        default: throw BusFault(.invalidArgument, "unknown method '\(call.method)'; Introspect lists the methods")
        }
    }

    private func list(_ filter: VariantValue) async throws -> [TransferStatus] {
        try await service.list(TransferFilter(filter.dictionary ?? [:]))
    }

    private func requests(_ items: [PassedFiles]) throws -> [TransferRequest] {
        try items.enumerated().map { index, item in
            do {
                var request = try TransferRequest(item.fields, submitted: now)
                request.specification.destination.folderIdentity = item.folder
                request.upload?.descriptor = item.upload
                return request
            } catch let fault as BusFault where items.count > 1 {
                throw BusFault(fault.code, "transfer \(index + 1) of \(items.count): \(fault.message)")
            }
        }
    }

    private func id(_ value: VariantValue) -> TransferID { TransferID(value.integer ?? 0) }

    /// Replies to a property call for an object that has a single interface of the daemon.
    static func property(
        _ call: BusCall, of interface: String, _ values: [String: VariantValue]
    ) throws -> [VariantValue] {
        guard call.arguments.first?.string == interface else {
            throw BusFault(.invalidArgument, "the object has no interface '\(call.arguments.first?.string ?? "")'")
        }
        switch call.method {
        case "GetAll": return [.dictionary(values)]
        case "Get":
            let name = call.arguments.last?.string ?? ""
            guard let value = values[name] else { throw BusFault(.invalidArgument, "unknown property '\(name)'") }
            return [value]
        default: throw BusFault(.accessDenied, "the properties are read-only")
        }
    }
}
