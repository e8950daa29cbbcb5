// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What is asked.
extension DownloadStateMachine {
    mutating func ask(_ question: Question) -> [Directive] {
        state = .asking(question)
        var fields = authenticator.adding(to: question.fields, url: question.url, method: "GET")
        switch question.kind {
        case .first:
            let end = position + max(1, plan.firstRequestBytes)
            // What comes after a hole is there.
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

    /// Gives the bytes so far up and asks for the whole file without a range.
    ///
    /// - Parameter head: the head of an answer that has to be got rid of first; nil if no request is under way.
    mutating func askForWhole(_ question: Question, insteadOf head: ResponseHead? = nil) -> [Directive] {
        let directives = dropBytes()
        expected = ExpectedFile()
        var next = question
        next.kind = .whole
        next.visited = [question.url]
        guard let head else { return directives + ask(next) }
        return directives + discard(head, then: .ask(next))
    }

    /// Begins at 0 again.
    mutating func dropBytes() -> [Directive] {
        defer { (position, extents) = (0, []) }
        return position > 0 || !extents.isEmpty ? [.startOver] : []
    }
}
