// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The requests of a download.
extension DownloadStateMachine {
    mutating func send(_ attemptRequest: Request) -> [Directive] {
        state = .awaitingHead(attemptRequest)
        let body = attemptRequest.isGet ? nil : plan.body
        let method = body?.method ?? "GET"
        var fields = authenticator.adding(to: attemptRequest.fields, url: attemptRequest.url, method: method)
        switch attemptRequest.kind {
        case .rest:
            // The bytes after the first hole are already present.
            let last = extents.first.map { String($0.lowerBound - 1) } ?? ""
            fields.append(HeaderField(name: "Range", value: "bytes=\(position)-\(last)"))
            if let value = expected.version?.ifRange { fields.append(HeaderField(name: "If-Range", value: value)) }
        case .whole:
            if position == 0, body == nil { fields += plan.condition }
        }
        return [.send(RequestHead(url: attemptRequest.url, fields: fields, method: method, content: body?.bytes))]
    }

    /// Sends a request to the URL of the transfer, because the target of a redirect may be valid only once.
    ///
    /// - Parameter head: The head of a response that must be discarded first. `nil` if no request is running.
    mutating func requestAgain(_ kind: Kind, insteadOf head: ResponseHead? = nil) -> [Directive] {
        let next = request.attemptRequest(kind)
        ranges.refusesPieces = true
        guard let head else { return send(next) }
        return discard(head, then: .send(next))
    }
}
