// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// How a task ended.
package struct TaskEnd: Hashable, Sendable, Codable {
    /// Its place among the session's ends, which the machine gives.
    package var order: Int64
    package var response: ResponseDescription?
    /// The finished file, and its size in bytes.
    package var file: String?
    package var fileBytes: Int64?
    /// What the server answered an upload with.
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

    /// What the app is told, one after the other; the last is always `completed`.
    package var kinds: [SessionEvent.Kind] {
        var kinds: [SessionEvent.Kind] = []
        if let response { kinds.append(.responded(response)) }
        if let file { kinds.append(.downloaded(path: file)) }
        if let body, !body.isEmpty { kinds.append(.body(body)) }
        kinds.append(.completed(failure))
        return kinds
    }

    /// An end has no more events than that.
    static let mostEvents: Int64 = 8

    /// The number of the event in that place.
    func number(_ place: Int) -> EventNumber { order * Self.mostEvents + EventNumber(place) }
}

extension TaskEnd {
    /// The bytes of the server's answer that wait for the app.
    var answerBytes: Int {
        let head = response.map {
            $0.headers.reduce($0.url.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
        return (head ?? 0) + (body?.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }

    /// Leaves the server's answer out, since the app has let too much wait already.
    mutating func dropAnswer(_ app: String, _ bytes: Int) {
        response?.headers = [:]
        guard body != nil else { return }
        body = nil
        failure = FailureDescription(
            code: .dataLengthExceedsMaximum,
            "the server's answer was dropped: \(app) has \(bytes) bytes of events that it has not acknowledged")
    }
}
