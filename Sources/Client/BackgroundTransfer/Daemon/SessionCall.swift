// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
internal import TransferModel

/// A call to a session's object, which is repeated until the daemon has replied.
struct SessionCall: Sendable {
    let method: String
    let arguments: [VariantValue]
    /// The D-Bus type of the tuple of arguments.
    let type: String
    /// The order that the call carries, if any.
    let order: TaskOrder?
    /// The number of the event that the call acknowledges, if any.
    let acknowledges: EventNumber?
    /// The file that is passed with the call, as handle 0 in the arguments.
    let file: OpenFile?
    /// Receives the result. Called once.
    let completion: @Sendable (Result<[VariantValue], SessionError>) -> Void

    init(
        _ method: String, _ arguments: [VariantValue], type: String, order: TaskOrder? = nil,
        acknowledges: EventNumber? = nil, file: OpenFile? = nil,
        completion: @escaping @Sendable (Result<[VariantValue], SessionError>) -> Void
    ) {
        self.method = method
        self.arguments = arguments
        self.type = type
        self.order = order
        self.acknowledges = acknowledges
        self.file = file
        self.completion = completion
    }

    /// Creates a call that posts an order.
    init(posting order: TaskOrder) {
        self.init("Post", [.dictionary(order.fields)], type: "(a{sv})", order: order) { _ in }
    }

    var isClosing: Bool { method == "Close" }
}
