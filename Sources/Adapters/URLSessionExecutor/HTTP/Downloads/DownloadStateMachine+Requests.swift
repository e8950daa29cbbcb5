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
            if position == 0, let before = plan.completedBefore { fields += condition(before) }
        case .rest:
            fields.append(HeaderField(name: "Range", value: "bytes=\(position)-"))
        case .whole:
            break
        }
        if question.kind != .whole, position > 0, let value = expectedVersion?.ifRange {
            fields.append(HeaderField(name: "If-Range", value: value))
        }
        return [.send(RequestHead(url: question.url, fields: fields))]
    }

    /// Asks only for a version other than the finished one.
    private func condition(_ before: CompletedFile) -> [HeaderField] {
        if let tag = before.validator?.entityTag { return [HeaderField(name: "If-None-Match", value: tag)] }
        if let date = before.validator?.lastModified { return [HeaderField(name: "If-Modified-Since", value: date)] }
        return []
    }

    /// Gives the bytes so far up and asks for the whole file without a range.
    mutating func askForWhole(_ question: Question, _ head: ResponseHead) -> [Directive] {
        let (directives, next) = giveUp(question)
        return directives + discard(head, then: .ask(next))
    }

    /// The same where no request is under way.
    mutating func askForWhole(_ question: Question) -> [Directive] {
        let (directives, next) = giveUp(question)
        return directives + ask(next)
    }

    private mutating func giveUp(_ question: Question) -> ([Directive], Question) {
        let directives = dropBytes()
        expectedTotal = nil
        expectedVersion = nil
        known = nil
        var next = question
        next.kind = .whole
        next.visited = [question.url]
        return (directives, next)
    }

    /// Begins at 0 again.
    mutating func dropBytes() -> [Directive] {
        defer { (position, extents) = (0, []) }
        return position > 0 || !extents.isEmpty ? [.startOver] : []
    }
}
