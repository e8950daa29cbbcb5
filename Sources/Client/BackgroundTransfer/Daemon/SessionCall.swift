// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferSessions

/// A call of a session's object that is to be made, again and again if need be.
struct SessionCall: Sendable {
    let method: String
    let arguments: [VariantValue]
    /// The type of the arguments taken together.
    let type: String
    /// What it has done, where it is an order.
    let order: TaskOrder?
    /// The event that it acknowledges.
    let acknowledges: EventNumber?
    /// Told once how it ended.
    let completion: @Sendable (Result<[VariantValue], SessionError>) -> Void

    init(
        _ method: String, _ arguments: [VariantValue], type: String, order: TaskOrder? = nil,
        acknowledges: EventNumber? = nil,
        completion: @escaping @Sendable (Result<[VariantValue], SessionError>) -> Void
    ) {
        self.method = method
        self.arguments = arguments
        self.type = type
        self.order = order
        self.acknowledges = acknowledges
        self.completion = completion
    }

    var isClosing: Bool { method == "Close" }
}
