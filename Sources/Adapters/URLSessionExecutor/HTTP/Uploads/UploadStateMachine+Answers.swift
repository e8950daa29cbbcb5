// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The interpretation of an answer's head.
extension UploadStateMachine {
    /// Handles an interim answer. A 104 names the URL at which an interrupted upload continues, and its offset.
    mutating func interim(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if let refusal = sizeRefused(question, head) { return refusal }
        guard head.status == 104, plan.isResumable,
            head.value("Upload-Draft-Interop-Version") == UploadPlan.interopVersion
        else { return [] }
        switch question.kind {
        case .whole:
            if place == nil { place = UploadPlace(.draft, head, from: question.url, for: plan) }
        case .append:
            break
        case .result, .discover, .create, .offset, .termination, .removal:
            return []
        }
        guard place?.resource.kind == .draft, let resumePoint else { return [] }
        // The server reports the offset as bytes arrive. Only an increase matters.
        if let offset = head.uploadOffset, offset <= plan.source.size {
            place?.confirmed = max(resumePoint.offset, offset)
        }
        return resumePoint == self.resumePoint && head.value("Location") == nil
            ? [] : self.resumePoint.map { [.remember($0)] } ?? []
    }

    mutating func answered(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if let refusal = sizeRefused(question, head) { return refusal }
        if let step = login(question, head) {
            // This applies even to a POST that sent all its bytes, because a server that answers 401 has not
            // processed the request (RFC 9110 §15.5.2). Bytes that the server reports as received are not sent again.
            if case .ask = step, question.kind == .whole || question.kind == .append,
                let offset = place?.question(.offset, of: plan)
            {
                return discard(head, then: .ask(offset))
            }
            return discard(head, then: step)
        }
        if let step = redirect(question, head) { return redirected(question, head, step) }
        switch question.kind {
        case .whole: return wholeAnswered(question, head)
        case .result:
            // A retry would upload the file again.
            return head.status >= 500 || head.status == 429
                ? discard(head, then: .end(.taken)) : final(question, head)
        case .discover: return discovered(question, head)
        case .create: return created(question, head)
        case .offset: return offsetTold(question, head)
        case .append: return appended(question, head)
        case .removal: return final(question, head)
        case .termination:
            // Without the termination extension, a DELETE could have any meaning.
            guard (200..<300).contains(head.status), head.list("Tus-Extension").contains("termination") else {
                return discard(head, then: .end(.stopped))
            }
            var next = question
            next.kind = .removal
            return discard(head, then: .ask(next))
        }
    }

    /// Rejects a file that is larger than the server's limit. An early failure is better than a failure after all
    /// bytes are sent.
    private mutating func sizeRefused(_ question: Question, _ head: ResponseHead) -> [Directive]? {
        limits.note(head)
        guard let most = limits.maximumSize, plan.source.size > most else { return nil }
        // The server accepted the file in spite of its limit.
        if (200..<400).contains(head.status), [.whole, .append, .result].contains(question.kind) { return nil }
        place = nil
        let message =
            "\(host) takes files of at most \(most) bytes, and \(plan.source.shownPath) has \(plan.source.size)."
        return discard(head, then: .fail(TransferFailure(cause: .tooLarge, message: message)))
    }

    /// Handles an accepted part and continues with the next part.
    mutating func partTaken(_ head: ResponseHead) -> [Directive] {
        let offset = head.uploadOffset ?? sending.upperBound
        // Interim answers may have reported the whole part already. The final answer must still count as progress.
        if offset > sending.lowerBound, let place {
            self.place?.confirmed = min(place.confirmed, sending.lowerBound)
        }
        return goOn(from: offset, head)
    }

    /// A Boolean value that indicates whether more bytes must follow the last request.
    var isPart: Bool { sending.upperBound < plan.source.size }

    /// Handles an answer to a request that creates the upload.
    ///
    /// The request may have carried only a part of the file, or more bytes than the server accepts at once.
    private mutating func wholeAnswered(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if head.status == 413, place?.resource.kind == .draft, limits.maximumAppend != nil { return askForOffset(head) }
        guard (200..<300).contains(head.status), isPart, head.saysUploadIsComplete != true else {
            return final(question, head)
        }
        if place == nil { place = UploadPlace(.draft, head, from: question.url, for: plan) }
        guard place != nil else {
            return discard(
                head, then: .fail(malformed("took a part of the upload but did not say where the rest may go.")))
        }
        return partTaken(head)
    }

    /// Handles the final answer to the upload itself.
    mutating func final(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if let failure = failureForNow(head) {
            // The server has the whole file and could not process it. A continuation at that URL would not help.
            if head.status != 511, head.saysUploadIsComplete == true { place = nil }
            return discard(head, then: .fail(failure))
        }
        state = .receiving(Body(question: question, status: head.status))
        return [.keepAnswer(head)]
    }

    private mutating func redirected(_ question: Question, _ head: ResponseHead, _ step: Step) -> [Directive] {
        var step = step
        switch (question.kind, step) {
        case (.whole, _):
            if let target = CaptivePortal.suspectedPage(head, from: question.url) {
                return discard(
                    head,
                    then: .fail(
                        wantsLogin(
                            "answered the upload with a redirect to \(target); this network may want a login first.")))
            }
            // Follows the practice of browsers.
            let isPost = plan.source.method == .post
            if case .ask(var next) = step, head.status == 303 || isPost && (head.status == 301 || head.status == 302) {
                next.kind = .result
                step = .ask(next)
            }
        case (.result, .conclude):
            step = .end(.taken)
        case (.result, .ask):
            break
        case (.discover, _), (.create, _), (.offset, _), (.append, _), (.termination, _), (.removal, _):
            // A 303 leads to a page, and none of these requests needs a page.
            guard head.status != 303 else { return final(question, head) }
            if case .ask(let next) = step, question.kind == .offset || question.kind == .append {
                place?.resource.url = next.url
            }
        }
        return discard(head, then: step)
    }
}
