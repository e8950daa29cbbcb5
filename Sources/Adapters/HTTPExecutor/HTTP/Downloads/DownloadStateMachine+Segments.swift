// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The download of a file in several concurrent pieces.
extension DownloadStateMachine {
    /// The present bytes: the bytes received so far, and the bytes beyond them that earlier attempts left.
    var present: ByteRanges {
        if case .receiving(.segments(let body)) = state { return body.plan.received }
        return ByteRanges([0..<position] + extents)
    }

    /// The number of present bytes.
    var presentBytes: Int64 {
        if case .receiving(.segments(let body)) = state { return body.plan.received.count }
        return extents.isEmpty ? position : present.count
    }

    /// Removes bytes that could not be written from the present bytes.
    mutating func lose(_ range: Range<Int64>) {
        guard case .receiving(.segments(var body)) = state else {
            position = min(position, range.lowerBound)
            return
        }
        body.lose(range)
        state = .receiving(.segments(body))
    }

    /// Receives the body of a response that begins at the current position, and requests other pieces of the file if it
    /// has holes, or if several connections are allowed and the missing bytes justify them.
    mutating func receive(_ file: ServerFile, _ attemptRequest: Request, end: Int64) -> [Directive] {
        var direct = attemptRequest
        direct.visited = [attemptRequest.url]
        direct.kind = .rest
        if let total = expected.total, expected.version != nil, file.status == 200 || file.status == 206 {
            let segments = SegmentPlan(total: total, received: present)
            let connections = segments.missing >= SegmentPlan.worthwhile && !ranges.refusesPieces ? plan.connections : 1
            if connections > 1 || !extents.isEmpty {
                var body = SegmentedBody(file: file, attemptRequest: direct, plan: segments, connections: connections)
                let (id, steps) = body.start(receivingTo: end)
                state = .receiving(.segments(body))
                segmentNonces[id] = authenticator.nonce(for: attemptRequest.url)
                return [.adoptRequest(id), .receive(file)] + directives(steps)
            }
        }
        state = .receiving(.part(Part(file: file, end: end, more: end == file.total ? nil : direct)))
        return [.receive(file)]
    }

    /// Handles the head of a response to a segment's request.
    mutating func received(_ head: ResponseHead, segment id: Int) -> [Directive] {
        guard case .receiving(.segments(var body)) = state, let requested = body.requested(id),
            !(100..<200).contains(head.status)
        else { return [] }
        let isShort = head.contentLength.map { $0 <= Self.largestDiscarded } ?? true
        let steps = body.received(
            verdict(head, requested.attemptRequest, requested.range, id), isShort: isShort, by: id)
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// Handles bytes of a segment. Returns the range in the file to which the bytes belong, and the directives that
    /// follow.
    mutating func received(bytes count: Int, segment id: Int) -> (range: Range<Int64>?, then: [Directive]) {
        guard case .receiving(.segments(var body)) = state else { return (nil, []) }
        // The state must not keep a second reference during the change. Otherwise each block would copy the body.
        state = .ended
        let step = body.received(bytes: count, by: id, tooMany: .tooManyBytes(from: host))
        state = .receiving(.segments(body))
        switch step {
        case .write(let range, let steps): return (range, directives(steps))
        case .drop(let steps): return (nil, directives(steps))
        }
    }

    /// Handles the end of a segment's request.
    mutating func ended(_ failure: TransferFailure?, segment id: Int) -> [Directive] {
        guard case .receiving(.segments(var body)) = state else { return [] }
        let (host, total) = (host, body.plan.total)
        let steps = body.ended(failure, by: id) { .endedEarly(at: $0, of: total, from: host) }
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// Abandons a segment's request because it makes no progress.
    mutating func giveUp(segment id: Int, _ failure: TransferFailure) -> [Directive] {
        guard case .receiving(.segments(var body)) = state else { return [] }
        let steps = body.giveUp(id, failure)
        state = .receiving(.segments(body))
        return directives(steps)
    }

    private mutating func request(_ id: Int, _ attemptRequest: Request, _ range: Range<Int64>) -> RequestHead {
        var fields = authenticator.adding(to: attemptRequest.fields, url: attemptRequest.url, method: "GET")
        segmentNonces[id] = authenticator.nonce(for: attemptRequest.url)
        fields.append(HeaderField(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        if let value = expected.version?.ifRange { fields.append(HeaderField(name: "If-Range", value: value)) }
        return RequestHead(url: attemptRequest.url, fields: fields)
    }

    /// Translates the steps into directives. The last step may end the segmented part of the download.
    mutating func directives(_ steps: [SegmentedBody.Step]) -> [Directive] {
        steps.flatMap { step -> [Directive] in
            switch step {
            case .send(let id, let attemptRequest, let range): [.sendSegment(id, request(id, attemptRequest, range))]
            case .cancel(let id): [.cancelSegment(id)]
            case .ended(let result): leaveSegments(result)
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
        case .restart: return requestAgain(.whole)
        case .conclude(.end(.responded)) where !ranges.refusesPieces && position > 0:
            // The rest may still be available from the URL of the transfer, or in one piece.
            return requestAgain(.rest)
        case .conclude(let directive): return conclude(directive)
        }
    }

    /// Interprets the head of a response to a segment's request.
    ///
    /// The check is strict because the pieces form one file. The range must be the requested range or a shorter one.
    /// The total and the version must be the known ones.
    private mutating func verdict(
        _ head: ResponseHead, _ attemptRequest: Request, _ requested: Range<Int64>, _ id: Int
    ) -> SegmentedBody.Verdict {
        // A newer nonce has arrived for another segment since this request was sent. The newer nonce may be valid.
        if head.status == 401, let nonce = segmentNonces[id], let newer = authenticator.nonce(for: attemptRequest.url),
            nonce != newer
        {
            return .elsewhere(attemptRequest)
        }
        switch login(attemptRequest, head) ?? redirect(attemptRequest, head) {
        case .send(let next)?: return .elsewhere(next)
        case .conclude(let directive)?: return .refused(.conclude(directive))
        case nil: break
        }
        switch head.status {
        case 206:
            guard !head.isEncoded, !head.hasImpossibleLength,
                let range = head.value("Content-Range").flatMap({ ContentRange($0) }), let bytes = range.bytes,
                range.total == expected.total, bytes.lowerBound == requested.lowerBound,
                requested.contains(bytes.upperBound),
                expected.version?.isContinued(by: head) == true
            else { return .refused(.restart) }
            return .good(end: bytes.upperBound + 1)
        case 200, 203, 416:
            return .refused(.restart)
        default:
            if let failure = retryableFailure(head) { return .refused(.end(.failed(failure))) }
            // A request for the whole file returns the response's body.
            return .refused(plan.keepsErrorBody ? .restart : .end(.responded(status: head.status)))
        }
    }
}
