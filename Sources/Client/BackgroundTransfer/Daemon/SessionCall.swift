// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

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
    /// The file that goes with it, as the handle 0 among the arguments.
    let file: OpenFile?
    /// Told once how it ended.
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

    var isClosing: Bool { method == "Close" }
}
