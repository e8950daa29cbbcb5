// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The outcome of a task.
package struct TaskEnd: Hashable, Sendable, Codable {
    /// The place of this end among the session's ends, which the machine assigns.
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
    static let mostEvents: Int64 = 8

    /// Returns the number of the event at a place.
    func number(_ place: Int) -> EventNumber { order * Self.mostEvents + EventNumber(place) }
}

extension TaskEnd {
    /// The size in bytes of the server's response that waits for the app.
    var answerBytes: Int {
        let head = response.map {
            $0.headers.reduce($0.url.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
        return (head ?? 0) + (body?.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }

    /// Drops the server's response, because too much already waits for the app.
    mutating func dropAnswer(_ app: String, _ bytes: Int) {
        response?.headers = [:]
        guard body != nil else { return }
        body = nil
        failure = FailureDescription(
            code: .dataLengthExceedsMaximum,
            "the server's answer was dropped: \(app) has \(bytes) bytes of events that it has not acknowledged")
    }
}
