// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The interpretation of a response's head.
extension UploadStateMachine {
    /// Handles an interim response. A 104 names the URL at which an interrupted upload continues, and its offset.
    mutating func interim(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if let refusal = sizeRefused(attemptRequest, head) { return refusal }
        guard head.status == 104, plan.isResumable,
            head.value("Upload-Draft-Interop-Version") == UploadPlan.interopVersion
        else { return [] }
        switch attemptRequest.kind {
        case .whole:
            if uploadLocation == nil {
                uploadLocation = UploadLocation(.draft, head, from: attemptRequest.url, for: plan)
            }
        case .append:
            break
        case .result, .discover, .create, .offset, .termination, .removal:
            return []
        }
        guard uploadLocation?.resource.kind == .draft, let resumePoint else { return [] }
        // The server reports the offset as bytes arrive. Only an increase matters.
        if let offset = head.uploadOffset, offset <= plan.source.size {
            uploadLocation?.confirmed = max(resumePoint.offset, offset)
        }
        return resumePoint == self.resumePoint && head.value("Location") == nil
            ? [] : self.resumePoint.map { [.remember($0)] } ?? []
    }

    mutating func responded(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if let refusal = sizeRefused(attemptRequest, head) { return refusal }
        if let step = login(attemptRequest, head) {
            // This applies even to a POST that sent all its bytes, because a server that returns 401 has not
            // processed the request (RFC 9110 §15.5.2). Bytes that the server reports as received are not sent again.
            if case .send = step, attemptRequest.kind == .whole || attemptRequest.kind == .append,
                let offset = uploadLocation?.attemptRequest(.offset, of: plan)
            {
                return discard(head, then: .send(offset))
            }
            return discard(head, then: step)
        }
        if let step = redirect(attemptRequest, head) { return redirected(attemptRequest, head, step) }
        switch attemptRequest.kind {
        case .whole: return wholeFileResponse(attemptRequest, head)
        case .result:
            // A retry would upload the file again.
            return head.status >= 500 || head.status == 429
                ? discard(head, then: .end(.accepted)) : final(attemptRequest, head)
        case .discover: return discovered(attemptRequest, head)
        case .create: return created(attemptRequest, head)
        case .offset: return offsetReceived(attemptRequest, head)
        case .append: return appended(attemptRequest, head)
        case .removal: return final(attemptRequest, head)
        case .termination:
            // Without the termination extension, a DELETE could have any meaning.
            guard (200..<300).contains(head.status), head.list("Tus-Extension").contains("termination") else {
                return discard(head, then: .end(.stopped))
            }
            var next = attemptRequest
            next.kind = .removal
            return discard(head, then: .send(next))
        }
    }

    /// Rejects a file that is larger than the server's limit. An early failure is better than a failure after all
    /// bytes are sent.
    private mutating func sizeRefused(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive]? {
        limits.update(head)
        guard let most = limits.maximumSize, plan.source.size > most else { return nil }
        // The server accepted the file in spite of its limit.
        if (200..<400).contains(head.status), [.whole, .append, .result].contains(attemptRequest.kind) { return nil }
        uploadLocation = nil
        let message =
            "\(host) accepts at most \(most) bytes; \(plan.source.shownPath) has \(plan.source.size) bytes."
        return discard(head, then: .fail(TransferFailure(cause: .tooLarge, message: message)))
    }

    /// Handles an accepted part and continues with the next part.
    mutating func partAccepted(_ head: ResponseHead) -> [Directive] {
        let offset = head.uploadOffset ?? sending.upperBound
        // Interim responses may have reported the whole part already. The final response must still count as progress.
        if offset > sending.lowerBound, let uploadLocation {
            self.uploadLocation?.confirmed = min(uploadLocation.confirmed, sending.lowerBound)
        }
        return continueUpload(from: offset, head)
    }

    /// A Boolean value that indicates whether more bytes must follow the last request.
    var isPart: Bool { sending.upperBound < plan.source.size }

    /// Handles a response to a request that creates the upload.
    ///
    /// The request may have carried only a part of the file, or more bytes than the server accepts in one request.
    private mutating func wholeFileResponse(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if head.status == 413, uploadLocation?.resource.kind == .draft, limits.maximumAppend != nil {
            return requestOffset(head)
        }
        guard (200..<300).contains(head.status), isPart, head.saysUploadIsComplete != true else {
            return final(attemptRequest, head)
        }
        if uploadLocation == nil { uploadLocation = UploadLocation(.draft, head, from: attemptRequest.url, for: plan) }
        guard uploadLocation != nil else {
            return discard(
                head, then: .fail(malformed("accepted a part of the upload but sent no URL for the rest.")))
        }
        return partAccepted(head)
    }

    /// Handles the final response to the upload itself.
    mutating func final(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] {
        if let failure = retryableFailure(head) {
            // The server has the whole file and could not process it. A continuation at that URL would not help.
            if head.status != 511, head.saysUploadIsComplete == true { uploadLocation = nil }
            return discard(head, then: .fail(failure))
        }
        state = .receiving(Body(attemptRequest: attemptRequest, status: head.status))
        return [.keepResponse(head)]
    }

    private mutating func redirected(_ attemptRequest: Request, _ head: ResponseHead, _ step: Step) -> [Directive] {
        var step = step
        switch (attemptRequest.kind, step) {
        case (.whole, _):
            if let target = CaptivePortal.suspectedPage(head, from: attemptRequest.url) {
                return discard(
                    head,
                    then: .fail(
                        captivePortalFailure(
                            "redirected the upload to \(target); this network may require a login.")))
            }
            // Follows the practice of browsers.
            let isPost = plan.source.method == .post
            if case .send(var next) = step, head.status == 303 || isPost && (head.status == 301 || head.status == 302) {
                next.kind = .result
                step = .send(next)
            }
        case (.result, .conclude):
            step = .end(.accepted)
        case (.result, .send):
            break
        case (.discover, _), (.create, _), (.offset, _), (.append, _), (.termination, _), (.removal, _):
            // A 303 leads to a page, and none of these requests needs a page.
            guard head.status != 303 else { return final(attemptRequest, head) }
            if case .send(let next) = step, attemptRequest.kind == .offset || attemptRequest.kind == .append {
                uploadLocation?.resource.url = next.url
            }
        }
        return discard(head, then: step)
    }
}
