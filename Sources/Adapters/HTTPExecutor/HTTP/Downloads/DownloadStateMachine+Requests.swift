// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// The requests of a download.
extension DownloadStateMachine {
    mutating func send(_ attemptRequest: Request) -> [Directive] {
        state = .awaitingHead(attemptRequest)
        let body = attemptRequest.isGet ? nil : plan.body
        let method = body?.method ?? "GET"
        var fields = authenticator.adding(to: attemptRequest.fields, url: attemptRequest.url, method: method)
        switch attemptRequest.kind {
        case .first:
            let end = position + max(1, plan.firstRequestBytes)
            // The bytes after the first hole are already present.
            let last = min(end, extents.first?.lowerBound ?? end) - 1
            fields.append(HeaderField(name: "Range", value: "bytes=\(position)-\(last)"))
            if position == 0 { fields += plan.condition }
        case .rest:
            fields.append(HeaderField(name: "Range", value: "bytes=\(position)-"))
        case .whole:
            break
        }
        if attemptRequest.kind != .whole, position > 0, let value = expected.version?.ifRange {
            fields.append(HeaderField(name: "If-Range", value: value))
        }
        return [.send(RequestHead(url: attemptRequest.url, fields: fields, method: method, content: body?.bytes))]
    }

    /// Discards the bytes received so far and requests the whole file without a range.
    ///
    /// - Parameters:
    ///   - attemptRequest: The request whose URL and fields are used.
    ///   - head: The head of a response that must be discarded first. `nil` if no request is running.
    mutating func requestWholeFile(_ attemptRequest: Request, insteadOf head: ResponseHead? = nil) -> [Directive] {
        let directives = dropBytes(head)
        expected = ExpectedFile()
        var next = attemptRequest
        next.kind = .whole
        next.visited = [attemptRequest.url]
        guard let head else { return directives + send(next) }
        return directives + discard(head, then: .send(next))
    }

    /// Discards all bytes and restarts at offset 0.
    ///
    /// - Parameter head: The head of the response that causes the restart. `nil` if there is none.
    mutating func dropBytes(_ head: ResponseHead? = nil) -> [Directive] {
        defer { (position, extents) = (0, []) }
        let isSame = expected.version.flatMap { mine in head?.version.flatMap { mine.isSameVersion(as: $0) } }
        return position > 0 || !extents.isEmpty ? [.restart(isSame == false ? .fileChanged : .notResumable)] : []
    }
}
