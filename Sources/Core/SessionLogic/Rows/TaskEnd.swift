// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The outcome of a task.
package struct TaskEnd: Hashable, Sendable, Codable {
    /// The position of this end among the session's ends. The machine assigns the position.
    package var order: Int64
    package var response: ResponseDescription?
    /// The path of the finished file. ``fileBytes`` is its size in bytes.
    package var file: String?
    package var fileBytes: Int64?
    /// The body of the server's response to an upload.
    package var body: [UInt8]?
    package var failure: FailureDescription?

    package init(
        order: Int64 = 0, response: ResponseDescription? = nil, file: String? = nil, body: [UInt8]? = nil,
        failure: FailureDescription? = nil
    ) {
        self.order = order
        self.response = response
        self.file = file
        self.body = body
        self.failure = failure
    }

    /// The events that the app receives, in order. The last event is always `completed`.
    package var kinds: [SessionEvent.Kind] {
        var kinds: [SessionEvent.Kind] = []
        if let response { kinds.append(.responded(response)) }
        if let file { kinds.append(.downloaded(path: file)) }
        if let body, !body.isEmpty { kinds.append(.body(body)) }
        kinds.append(.completed(failure))
        return kinds
    }

    /// The maximum number of events of an end, which spaces the event numbers of successive ends.
    static let maximumEventCount: Int64 = 8

    /// Returns the number of the event at an index.
    func number(_ index: Int) -> EventNumber { order * Self.maximumEventCount + EventNumber(index) }
}

extension TaskEnd {
    /// The size in bytes of the server's response that waits for the app.
    var responseBytes: Int {
        let head = response.map {
            $0.headers.reduce($0.url.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
        return (head ?? 0) + (body?.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }

    /// Discards the server's response, because too many bytes already wait for the app.
    mutating func dropResponse(_ app: String, _ bytes: Int) {
        response?.headers = [:]
        guard body != nil else { return }
        body = nil
        failure = FailureDescription(
            code: .dataLengthExceedsMaximum,
            "the server's response was discarded: \(app) has \(bytes) bytes of unacknowledged events")
    }
}
