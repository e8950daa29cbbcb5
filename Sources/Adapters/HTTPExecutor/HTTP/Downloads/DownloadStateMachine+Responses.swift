// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The interpretation of a response's head.
extension DownloadStateMachine {
    mutating func responded(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if let step = login(attemptRequest, head) ?? redirected(attemptRequest, head) {
            return discard(head, then: step)
        }
        switch head.status {
        case 206: return partialContent(attemptRequest, head)
        // The other 2xx statuses carry no file, or no file yet: 202, 204, 205. `keepsErrorBody` requests the body of
        // any response.
        case 200, 203: return wholeContent(attemptRequest, head)
        case 200..<300 where plan.keepsErrorBody: return wholeContent(attemptRequest, head)
        case 304 where attemptRequest.kind == .first && plan.completedBefore?.validator != nil && position == 0:
            return discard(head, then: .end(.alreadyComplete(status: 304)))
        case 416 where attemptRequest.kind != .whole: return rangeRefused(attemptRequest, head)
        default:
            let isRepeatable = attemptRequest.isGet || plan.body?.isRepeatable(after: head.status) ?? true
            if isRepeatable, let failure = retryableFailure(head) {
                return discard(head, then: .fail(failure))
            }
            if head.status >= 400, plan.keepsErrorBody {
                return unreadable(head) ?? keep(head, attemptRequest, end: head.contentLength)
            }
            return discard(head, then: .end(.responded(status: head.status)))
        }
    }

    /// Returns the step after a redirect.
    ///
    /// As in browsers, the next request is a GET after a 303, and after a 301 or 302 response to a POST.
    private func redirected(_ attemptRequest: Request, _ head: ResponseHead) -> Step? {
        guard let body = plan.body, !attemptRequest.isGet else { return redirect(attemptRequest, head) }
        // A login page that took the place of the server has the request, and its page is not the server's response.
        if let target = CaptivePortal.suspectedPage(head, from: attemptRequest.url) {
            return .fail(
                captivePortalFailure("redirected the request to \(target); this network may require a login."))
        }
        guard head.status == 303 || body.method == "POST" && (head.status == 301 || head.status == 302) else {
            return redirect(attemptRequest, head, sendsBody: true)
        }
        // A redirect to the URL of the request with the body is no loop, because the next request is a GET.
        var former = attemptRequest
        former.visited = []
        guard case .send(var next)? = redirect(former, head) else { return redirect(attemptRequest, head) }
        next.isGet = true
        next.fields = next.fields.without(RedirectRule.bodyFields)
        return .send(next)
    }

    private mutating func partialContent(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        guard attemptRequest.kind != .whole else {
            return abandon(then: .fail(malformed("returned 206 for a request without a range.")))
        }
        let range = head.value("Content-Range").flatMap { ContentRange($0) }
        if let refusal = unreadable(head, range) { return refusal }
        guard !head.isEncoded, let range, let bytes = range.bytes, let total = range.total,
            bytes.lowerBound == position,
            expected.total == nil || expected.total == total,
            expected.version?.isContinued(by: head) ?? (position == 0)
        else { return requestWholeFile(attemptRequest, insteadOf: head) }
        if let refusal = refusal(head, attemptRequest, total: total) { return refusal }
        let file = ServerFile(head, from: attemptRequest.url, total: total)
        let end = bytes.upperBound + 1
        let isLast = end == total
        // Without a version to compare, the parts might belong to two different files. The whole file is therefore
        // requested immediately.
        if !isLast, file.continuing == nil { return requestWholeFile(attemptRequest, insteadOf: head) }
        expected = ExpectedFile(file: file, total: total, version: expected.version ?? file.continuing)
        var more = attemptRequest
        more.kind = .rest
        more.visited = [attemptRequest.url]
        state = .receiving(.part(Part(file: file, end: end, more: isLast ? nil : more)))
        return [.receive(file)]
    }

    private mutating func wholeContent(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if head.isEncoded, !plan.deliversEncodedBodies {
            let coding = head.value("Content-Encoding") ?? ""
            let message =
                "\(host) sent the file encoded (\(coding)), which was not requested. The file cannot be verified."
            return refuse(TransferFailure(cause: .encodedBody, message: message))
        }
        if let refusal = unreadable(head) { return refusal }
        let length = head.status == 204 || head.status == 205 ? 0 : head.contentLength
        if let refusal = refusal(head, attemptRequest, total: length) { return refusal }
        return keep(head, attemptRequest, end: length)
    }

    /// Accepts a body that begins at offset 0.
    private mutating func keep(_ head: ResponseHead, _ attemptRequest: Request, end: Int64?) -> [Directive] {
        let directives = dropBytes(head)
        let isChunked = head.value("Transfer-Encoding") != nil
        let file = ServerFile(head, from: attemptRequest.url, total: isChunked ? nil : end)
        expected = ExpectedFile(file: file, total: file.total, version: file.continuing)
        state = .receiving(.part(Part(file: file, end: file.total, more: nil)))
        return directives + [.receive(file)]
    }

    /// Handles a 416 response: the file has no bytes at or after the requested offset.
    private mutating func rangeRefused(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        let total = head.value("Content-Range").flatMap { ContentRange($0) }?.total
        if position > 0, total == position, expected.total == nil || expected.total == total,
            let version = expected.version
        {
            let isSame = head.version.flatMap { version.isSameVersion(as: $0) } ?? true
            if isSame {
                let file = ServerFile(
                    url: attemptRequest.url, status: 206, total: total, version: version,
                    continuing: version, disposition: head.value("Content-Disposition"),
                    lastModified: version.lastModified)
                expected.file = file
                return discard(head, then: .conclude(.finish(file)))
            }
        }
        return requestWholeFile(attemptRequest, insteadOf: head)
    }

    /// Returns the directives that reject a file's response, or `nil` if the response is acceptable.
    ///
    /// Rejects a login page, a file with too many bytes, and a file that has not changed.
    private mutating func refusal(_ head: ResponseHead, _ attemptRequest: Request, total: Int64?) -> [Directive]? {
        if CaptivePortal.isSuspected(
            head, url: request.url, isContinuing: position > 0, version: expected.version, known: expected.file)
        {
            return abandon(
                then: .fail(
                    captivePortalFailure("sent a web page instead of the file; this network may require a login.")))
        }
        if let limit = plan.maximumBytes, let total, total > limit { return refuse(.tooLarge(limit, from: host)) }
        if attemptRequest.kind == .first, position == 0, let before = plan.completedBefore {
            let version = before.validator.flatMap { mine in head.version.flatMap { mine.isSameVersion(as: $0) } }
            // An equal size alone proves nothing, because a file of fixed length can change.
            if version == true, total == nil || total == before.bytes {
                return abandon(then: .end(.alreadyComplete(status: head.status)))
            }
        }
        return nil
    }

    /// Returns the directives that reject a body that cannot be read, or `nil` if the body can be read.
    private mutating func unreadable(_ head: ResponseHead, _ range: ContentRange? = nil) -> [Directive]? {
        if head.hasImpossibleLength || range?.hasImpossibleTotal == true {
            return abandon(then: .fail(malformed("sent an invalid length.")))
        }
        guard head.hasUnknownTransferCoding else { return nil }
        return abandon(then: .fail(malformed("sent the file in a transfer coding that was not requested.")))
    }
}
