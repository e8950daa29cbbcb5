// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The requests of a download.
extension DownloadStateMachine {
    mutating func ask(_ question: Question) -> [Directive] {
        state = .asking(question)
        var fields = authenticator.adding(to: question.fields, url: question.url, method: "GET")
        switch question.kind {
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
        if question.kind != .whole, position > 0, let value = expected.version?.ifRange {
            fields.append(HeaderField(name: "If-Range", value: value))
        }
        return [.send(RequestHead(url: question.url, fields: fields))]
    }

    /// Discards the bytes received so far and requests the whole file without a range.
    ///
    /// - Parameters:
    ///   - question: The question whose URL and fields are used.
    ///   - head: The head of an answer that must be discarded first. `nil` if no request is running.
    mutating func askForWhole(_ question: Question, insteadOf head: ResponseHead? = nil) -> [Directive] {
        let directives = dropBytes()
        expected = ExpectedFile()
        var next = question
        next.kind = .whole
        next.visited = [question.url]
        guard let head else { return directives + ask(next) }
        return directives + discard(head, then: .ask(next))
    }

    /// Discards all bytes and restarts at offset 0.
    mutating func dropBytes() -> [Directive] {
        defer { (position, extents) = (0, []) }
        return position > 0 || !extents.isEmpty ? [.startOver] : []
    }
}
