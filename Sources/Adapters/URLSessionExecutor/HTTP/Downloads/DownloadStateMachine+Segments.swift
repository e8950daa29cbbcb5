// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The rest of a file in several pieces at once.
extension DownloadStateMachine {
    /// The bytes there are: what was received, and what earlier attempts left beyond it.
    var present: ByteRanges {
        if case .receiving(.segments(let body)) = state { return body.plan.received }
        return ByteRanges([0..<position] + extents)
    }

    /// How many bytes there are.
    var presentBytes: Int64 {
        if case .receiving(.segments(let body)) = state { return body.plan.received.count }
        return extents.isEmpty ? position : present.count
    }

    /// Bytes that were to be written and could not be.
    mutating func lose(_ range: Range<Int64>) {
        guard case .receiving(.segments(var body)) = state else {
            position = min(position, range.lowerBound)
            return
        }
        body.lose(range)
        state = .receiving(.segments(body))
    }

    /// Asks for what is missing: in pieces where there are holes, or where that is allowed and worth it.
    mutating func askForRest(_ question: Question, _ file: ServerFile) -> [Directive] {
        guard let total = expected.total, expected.version != nil else { return ask(question) }
        let segments = SegmentPlan(total: total, received: present)
        let connections = segments.missing >= SegmentPlan.worthwhile ? plan.connections : 1
        guard connections > 1 || !extents.isEmpty else { return ask(question) }
        var body = SegmentedBody(file: file, question: question, plan: segments, connections: connections)
        let steps = body.start()
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// The head of an answer to a segment's request came.
    mutating func received(_ head: ResponseHead, segment id: Int) -> [Directive] {
        guard case .receiving(.segments(var body)) = state, let asked = body.asked(id),
            !(100..<200).contains(head.status)
        else { return [] }
        let isShort = head.contentLength.map { $0 <= Self.largestDiscarded } ?? true
        let steps = body.received(verdict(head, asked.question, asked.range, id), isShort: isShort, by: id)
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// Bytes of a segment came: where to write them, and what to do then.
    mutating func received(bytes count: Int, segment id: Int) -> (place: Range<Int64>?, then: [Directive]) {
        guard case .receiving(.segments(var body)) = state else { return (nil, []) }
        // Not held twice while it changes: else every block would copy it.
        state = .over
        let step = body.received(bytes: count, by: id, tooMany: malformed(Self.tooManyBytes))
        state = .receiving(.segments(body))
        switch step {
        case .write(let place, let steps): return (place, directives(steps))
        case .drop(let steps): return (nil, directives(steps))
        }
    }

    /// The request of a segment is over.
    mutating func ended(_ failure: TransferFailure?, segment id: Int) -> [Directive] {
        guard case .receiving(.segments(var body)) = state else { return [] }
        let (host, total) = (host, body.plan.total)
        let steps = body.ended(failure, by: id) { .endedEarly(at: $0, of: total, from: host) }
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// Nothing comes of the request of a segment.
    mutating func giveUp(segment id: Int, _ failure: TransferFailure) -> [Directive] {
        guard case .receiving(.segments(var body)) = state else { return [] }
        let steps = body.giveUp(id, failure)
        state = .receiving(.segments(body))
        return directives(steps)
    }

    private mutating func request(_ id: Int, _ question: Question, _ range: Range<Int64>) -> RequestHead {
        var fields = authenticator.adding(to: question.fields, url: question.url, method: "GET")
        segmentNonces[id] = authenticator.nonce(for: question.url)
        fields.append(HeaderField(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        if let value = expected.version?.ifRange { fields.append(HeaderField(name: "If-Range", value: value)) }
        return RequestHead(url: question.url, fields: fields)
    }

    /// What the steps mean outside; the last one may leave the segments behind.
    mutating func directives(_ steps: [SegmentedBody.Step]) -> [Directive] {
        steps.flatMap { step -> [Directive] in
            switch step {
            case .send(let id, let question, let range): [.sendSegment(id, request(id, question, range))]
            case .cancel(let id): [.cancelSegment(id)]
            case .over(let result): leaveSegments(result)
            }
        }
    }

    private mutating func leaveSegments(_ result: SegmentedBody.Result) -> [Directive] {
        guard case .receiving(.segments(let body)) = state else { return [] }
        segmentNonces = [:]
        position = body.plan.received.prefix
        extents = body.plan.received.beyondPrefix
        switch result {
        case .complete: return conclude(.finish(body.file))
        case .startOver: return askForWhole(body.question)
        case .conclude(let directive): return conclude(directive)
        }
    }

    /// What the head of an answer to a segment's request means.
    ///
    /// Strict, since pieces are put together: the range as asked or a shorter one, the total and the version as known.
    private mutating func verdict(
        _ head: ResponseHead, _ question: Question, _ asked: Range<Int64>, _ id: Int
    ) -> SegmentedBody.Verdict {
        // Another piece has had a newer nonce since this one was asked: that one may be good.
        if head.status == 401, let nonce = segmentNonces[id], let newer = authenticator.nonce(for: question.url),
            nonce != newer
        {
            return .elsewhere(question)
        }
        switch login(question, head) ?? redirect(question, head) {
        case .ask(let next)?: return .elsewhere(next)
        case .conclude(let directive)?: return .refused(.conclude(directive))
        case nil: break
        }
        let isFile = head.status == 206 || head.status == 200 || head.status == 203
        if head.status == 511
            || isFile
                && CaptivePortal.isSuspected(
                    head, url: request.url, isContinuing: true, version: expected.version, known: expected.file)
        {
            return .refused(.end(.failed(wantsLogin("wants a login first."))))
        }
        switch head.status {
        case 206:
            guard !head.isEncoded, !head.hasImpossibleLength,
                let range = head.value("Content-Range").flatMap({ ContentRange($0) }), let bytes = range.bytes,
                range.total == expected.total, bytes.lowerBound == asked.lowerBound, asked.contains(bytes.upperBound),
                expected.version?.isContinued(by: head) == true
            else { return .changed }
            return .good(end: bytes.upperBound + 1)
        case 200, 203:
            // The same file, and no ranges on this connection: the others may go on.
            let isSame = !head.isEncoded && expected.version?.isContinued(by: head) == true
            return isSame ? .refused(.startOver) : .changed
        case 416:
            return .changed
        default:
            if let failure = failureForNow(head) { return .refused(.end(.failed(failure))) }
            // Whoever wants the answer's body gets it by asking for the whole.
            return .refused(plan.keepsErrorBody ? .startOver : .end(.answered(status: head.status)))
        }
    }
}
