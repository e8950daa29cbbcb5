// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What is asked, and how an answer is got rid of.
extension DownloadStateMachine {
    /// Fields that belong to the protocol and are never taken from outside.
    private static let ownFields: Set<String> = [
        "range", "if-range", "connection", "content-length", "transfer-encoding", "expect", "te", "upgrade",
    ]

    /// The host that is asked, for messages.
    var host: String {
        switch state {
        case .asking(let question): URLReference(question.url).hostAndPort
        case .receiving(let body): URLReference(body.file.url).hostAndPort
        case .segmented(let body): URLReference(body.question.url).hostAndPort
        case .ready, .discarding, .over: URLReference(known?.url ?? plan.url).hostAndPort
        }
    }

    /// The fields that go with every request.
    func firstFields() -> [HeaderField] {
        var fields = plan.headers.without(Self.ownFields)
        if fields.firstValue("User-Agent") == nil {
            fields.append(HeaderField(name: "User-Agent", value: plan.userAgent))
        }
        if fields.firstValue("Accept-Encoding") == nil {
            fields.append(HeaderField(name: "Accept-Encoding", value: "identity"))
        }
        return fields
    }

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
        let directives: [Directive] = position > 0 || !extents.isEmpty ? [.startOver] : []
        position = 0
        extents = []
        expectedTotal = nil
        expectedVersion = nil
        known = nil
        var next = question
        next.kind = .whole
        next.visited = [question.url]
        return (directives, next)
    }

    /// Reads a body that is not wanted to its end where it is short, so that the connection can be used again.
    mutating func discard(_ head: ResponseHead, then next: Next) -> [Directive] {
        if let length = head.contentLength, length > Self.largestDiscarded { return abandon(then: next) }
        state = .discarding(bytes: 0, then: next)
        return []
    }

    mutating func abandon(then next: Next) -> [Directive] {
        state = .discarding(bytes: Self.largestDiscarded + 1, then: next)
        return [.cancelRequest]
    }

    mutating func end(_ ending: Ending) -> [Directive] {
        state = .over
        return [.end(ending)]
    }
}
