// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferModel

/// The calls of a session object by which an app controls its session.
struct SessionCalls {
    let service: any SessionService
    let caller: BusCaller
    /// The methods for the process that has the session open.
    static let methods: Set = ["Post", "Acknowledge", "Tasks", "Body", "Explain", "Close", "Open"]

    /// Executes a method call and returns its reply values; `nil` for other methods.
    ///
    /// - Throws: `BusFault`, `SessionRefusal`, or any error from the service.
    func reply(_ call: BusCall, of name: SessionKey) async throws -> [VariantValue]? {
        guard call.interface == TransferBusName.sessionInterface else { return nil }
        let key = SessionKey(app: name.app, identifier: name.identifier)
        switch call.method {
        case "Post":
            let posted = try PostedOrder(call.arguments.first?.dictionary ?? [:], call.descriptors, from: caller)
            try await service.post(posted.order, file: posted.file, in: key, from: caller)
            return []
        case "Acknowledge":
            try await service.acknowledge(call.arguments.first?.integer ?? -1, in: key, from: caller.name)
            return []
        case "Tasks": return [.list(await service.tasks(of: key).map { .dictionary($0.withoutBody.fields) })]
        case "Body":
            return [.bytes(await service.body(ofTask: Int(call.arguments.first?.integer ?? 0), in: key))]
        case "Explain":
            let explanation = await service.explanation(ofTask: Int(call.arguments.first?.integer ?? 0), in: key)
            return [.dictionary(explanation?.fields ?? [:])]
        case "Close":
            await service.close(key, by: caller.name)
            return []
        default: return nil
        }
    }
}
