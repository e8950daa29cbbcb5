// SPDX-License-Identifier: Apache-2.0
import TransferEngine
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
        case 304 where attemptRequest.kind == .whole && plan.completedBefore?.validator != nil && position == 0:
            return discard(head, then: .end(.alreadyComplete(status: 304)))
        case 416 where attemptRequest.kind == .rest: return rangeIsEmpty(attemptRequest, head)
        default:
            let isRepeatable = attemptRequest.isGet || plan.body?.isRepeatable(after: head.status) ?? true
            if isRepeatable, let failure = retryableFailure(head) {
                return discard(head, then: .fail(failure))
            }
            if attemptRequest.kind == .rest {
                // The target of a redirect may be valid only once.
                let isDirect = attemptRequest.visited.first == request.attemptRequest(Kind.rest).url
                return requestAgain(isDirect ? .whole : .rest, insteadOf: head)
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
        let range = head.value("Content-Range").flatMap { ContentRange($0) }
        if let refusal = unreadable(head, range) { return refusal }
        guard attemptRequest.kind == .rest else {
            // A server that always answers with a range sends the beginning of the file.
            guard range?.bytes?.lowerBound == 0, range?.total != nil else {
                return abandon(then: .fail(malformed("returned 206 for a request without a range.")))
            }
            return wholeContent(attemptRequest, head)
        }
        guard !head.isEncoded, let range, let bytes = range.bytes, let total = range.total,
            bytes.lowerBound == position,
            expected.total == nil || expected.total == total,
            expected.version?.isContinued(by: head) ?? plan.hasChecksum
        else { return requestAgain(.whole, insteadOf: head) }
        if let refusal = refusal(head, attemptRequest, total: total) { return refusal }
        let file = ServerFile(head, from: attemptRequest.url, total: total, now: request.now)
        let end = bytes.upperBound + 1
        // Without a version to compare, the parts might belong to two different files.
        if end < total, file.continuing == nil, !plan.hasChecksum { return requestAgain(.whole, insteadOf: head) }
        expected = ExpectedFile(file: file, total: total, version: expected.version ?? file.continuing)
        return receive(file, attemptRequest, end: end)
    }

    /// Handles a response with the whole file. A range in it names the size of the file; otherwise the length does.
    private mutating func wholeContent(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if head.isEncoded, !plan.deliversEncodedBodies {
            let coding = head.value("Content-Encoding") ?? ""
            let message =
                "\(host) sent the file encoded (\(coding)), which was not requested. The file cannot be verified."
            return refuse(TransferFailure(cause: .encodedBody, message: message))
        }
        if let refusal = unreadable(head) { return refusal }
        var length = head.status == 204 || head.status == 205 ? 0 : head.contentLength
        if attemptRequest.kind == .rest {
            // A range under the wrong status, or the rest as if it were the file: neither is the whole file.
            let isChanged = expected.version?.isSameVersion(as: head) == false
            let isShort = length.flatMap { length in expected.total.map { length < $0 } } ?? false
            if head.value("Content-Range") != nil || isShort && !isChanged {
                return requestAgain(.whole, insteadOf: head)
            }
        } else if let range = head.value("Content-Range").flatMap({ ContentRange($0) }), let named = range.total {
            guard range.bytes?.lowerBound == 0 else {
                return abandon(then: .fail(malformed("sent a part of the file instead of the file.")))
            }
            length = named
        }
        if let refusal = refusal(head, attemptRequest, total: length) { return refusal }
        return keep(head, attemptRequest, end: length)
    }

    /// Accepts a body that begins at offset 0. The bytes received so far are discarded.
    private mutating func keep(_ head: ResponseHead, _ attemptRequest: Request, end: Int64?) -> [Directive] {
        let isSame = expected.version?.isSameVersion(as: head)
        let restart = Directive.restart(isSame == false ? .fileChanged : .notResumable)
        let directives = position > 0 || !extents.isEmpty ? [restart] : []
        (position, extents) = (0, [])
        let isChunked = head.value("Transfer-Encoding") != nil
        let file = ServerFile(head, from: attemptRequest.url, total: isChunked ? nil : end, now: request.now)
        expected = ExpectedFile(file: file, total: file.total, version: file.continuing)
        let acceptsRanges = head.status == 206 || head.value("Accept-Ranges")?.lowercased().contains("bytes") == true
        guard acceptsRanges, head.status != 203, let total = file.total else {
            state = .receiving(.part(Part(file: file, end: file.total, more: nil)))
            return directives + [.receive(file)]
        }
        return directives + receive(file, attemptRequest, end: total)
    }

    /// Handles a 416 response: the file has no bytes at or after the requested offset.
    private mutating func rangeIsEmpty(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        let total = head.value("Content-Range").flatMap { ContentRange($0) }?.total
        let version = expected.version
        if position > 0, total == position, expected.total == nil || expected.total == total,
            version != nil || plan.hasChecksum
        {
            let isSame = version?.isSameVersion(as: head) ?? true
            if isSame {
                let file = ServerFile(
                    url: attemptRequest.url, status: 206, total: total, version: version,
                    continuing: version, disposition: head.value("Content-Disposition"),
                    lastModified: version?.lastModified)
                expected.file = file
                return discard(head, then: .conclude(.finish(file)))
            }
        }
        return requestAgain(.whole, insteadOf: head)
    }

    /// Returns the directives that reject a file's response, or `nil` if the response is acceptable.
    ///
    /// Rejects a login page, a file with too many bytes, and a file that has not changed.
    private mutating func refusal(_ head: ResponseHead, _ attemptRequest: Request, total: Int64?) -> [Directive]? {
        if CaptivePortal.isSuspected(head, request: request, expected: expected, isContinuing: position > 0) {
            return abandon(
                then: .fail(
                    captivePortalFailure(
                        "sent a web page instead of the file; this network may require a login. If the page is wanted, "
                            + "use --allow-html.")))
        }
        if let limit = plan.maximumBytes, let total, total > limit { return refuse(.tooLarge(limit, from: host)) }
        if attemptRequest.kind == .whole, position == 0, let before = plan.completedBefore {
            // An equal size alone proves nothing, because a file of fixed length can change.
            if before.validator?.isSameVersion(as: head) == true, total == nil || total == before.bytes {
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
