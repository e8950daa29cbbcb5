// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// What a call of the manager means.
struct ManagerCalls {
    let service: any TransferService
    let caller: BusCaller

    /// The values of the answer.
    ///
    /// - Throws: `BusFault`, or what the service throws.
    func answer(_ call: BusCall) async throws -> [VariantValue] {
        if call.interface == "org.freedesktop.DBus.Properties" { return try await property(call) }
        let arguments = call.arguments
        switch call.method {
        case "Submit":
            let items = try arguments[0].items.map {
                try PassedFiles($0.dictionary ?? [:], call.descriptors, from: caller)
            }
            let ids = try await service.submit(requests(items), from: caller)
            return [.list(ids.map { .integer($0.rawValue) })]
        case "List":
            let rows = try await service.list(TransferFilter(arguments[0].dictionary ?? [:]), for: caller)
            return [.list(rows.map { .dictionary($0.fields) })]
        case "Table":
            let rows = try await service.list(TransferFilter(arguments[0].dictionary ?? [:]), for: caller)
            return TransferTable.values(of: rows)
        case "Show": return [.dictionary(try await service.show(id(arguments[0]), for: caller))]
        case "Explain": return [.dictionary(try await service.explain(id(arguments[0]), for: caller))]
        case "Change":
            try await service.change(id(arguments[0]), arguments[1].dictionary ?? [:], for: caller)
            return []
        case "Hold":
            let seconds = arguments[0].integer ?? 0
            let reason = arguments[1].string ?? ""
            try await service.hold(HoldRequest(seconds: seconds == 0 ? nil : seconds, reason: reason), for: caller)
            return []
        case "Limiters": return [.list(try await service.limiters(for: caller).map(VariantValue.dictionary))]
        case "Sessions": return [.list(try await service.sessions(for: caller).map { .dictionary($0.fields) })]
        case "Apps": return [.list(try await service.apps(for: caller).map(VariantValue.dictionary))]
        case "QuitApp":
            return [.integer(Int64(try await service.quit(arguments[0].string ?? "", for: caller)))]
        case "History", "HistoryFrom":
            let text = arguments[0].string ?? ""
            guard let start = BusDate(parsing: text) else {
                throw BusFault(.invalidArgument, "'\(text.prefix(40))' is no date as RFC 3339 has it")
            }
            let place = arguments.count > 1 ? arguments[1].string : nil
            return [.dictionary(try await service.history(since: start.wall, from: place, for: caller))]
        case "Log": return [.dictionary(try await service.log(of: id(arguments[0]), for: caller))]
        case "Discard":
            try await service.discard(id(arguments[0]), for: caller)
            return []
        case "SetInFront":
            await service.setInFront(arguments[0] == .bool(true), app: caller.app)
            return []
        case "TrustSandbox":
            try await service.trust(arguments[0].string ?? "", arguments[1] == .bool(true), for: caller)
            return []
        case "Metrics":
            guard !caller.isSandboxed else {
                throw BusFault(.accessDenied, "counts of all apps are not for a program in a sandbox")
            }
            return [.string(service.metrics)]
        case "Release":
            try await service.hold(nil, for: caller)
            return []
        default:
            guard let deed = TransferDeed(rawValue: call.method) else {
                throw BusFault(.invalidArgument, "there is no method '\(call.method)'")
            }
            try await service.steer(arguments[0].items.map(id), deed, for: caller)
            return []
        }
    }

    private func requests(_ items: [PassedFiles]) throws -> [TransferRequest] {
        let submitted = service.now
        return try items.enumerated().map { index, item in
            do {
                var request = try TransferRequest(item.fields, submitted: submitted)
                request.specification.destination.folderIdentity = item.folder
                request.upload?.descriptor = item.upload
                return request
            } catch let fault as BusFault where items.count > 1 {
                throw BusFault(fault.code, "transfer \(index + 1) of \(items.count): \(fault.message)")
            }
        }
    }

    private func id(_ value: VariantValue) -> TransferID { TransferID(value.integer ?? 0) }

    private func property(_ call: BusCall) async throws -> [VariantValue] {
        try Self.property(call, of: TransferBusName.managerInterface, await service.properties(for: caller))
    }

    /// Answers a call for the properties of an object that has one interface of ours.
    static func property(
        _ call: BusCall, of interface: String, _ values: [String: VariantValue]
    ) throws -> [VariantValue] {
        guard call.arguments.first?.string == interface else {
            throw BusFault(.invalidArgument, "there is no interface '\(call.arguments.first?.string ?? "")' here")
        }
        switch call.method {
        case "GetAll": return [.dictionary(values)]
        case "Get":
            let name = call.arguments.last?.string ?? ""
            guard let value = values[name] else { throw BusFault(.invalidArgument, "there is no property '\(name)'") }
            return [value]
        default: throw BusFault(.accessDenied, "the properties can only be read")
        }
    }
}
