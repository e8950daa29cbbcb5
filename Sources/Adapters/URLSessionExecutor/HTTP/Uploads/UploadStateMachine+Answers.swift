// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the head of an answer means.
extension UploadStateMachine {
    /// 104 tells where an interrupted upload goes on, and how far it is.
    mutating func interim(_ question: Question, _ head: ResponseHead) -> [Directive] {
        guard head.status == 104, plan.isResumable, head.value("Upload-Draft-Interop-Version") == Self.interopVersion
        else { return [] }
        switch question.kind {
        case .whole:
            if resource == nil, let location = head.value("Location"), let url = place(location, from: question) {
                resource = UploadResume(kind: .draft, url: url, modified: plan.source.modified)
                confirmed = 0
            }
        case .append:
            break
        case .result, .discover, .create, .offset, .termination, .removal:
            return []
        }
        guard resource?.kind == .draft, let resumePoint else { return [] }
        // It is told as it comes in: only more of it is news.
        if let offset = head.uploadOffset, offset <= plan.source.size { confirmed = max(confirmed, offset) }
        return resumePoint == self.resumePoint && head.value("Location") == nil
            ? [] : self.resumePoint.map { [.remember($0)] } ?? []
    }

    mutating func answered(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if head.status == 401, let directives = challenged(question, head) { return directives }
        if head.status == 407, let proxy = plan.proxy {
            return discard(head, then: .end(.failed(.proxyRefused(proxy))))
        }
        if head.status != 401 { authenticator.taken(by: question.url) }
        if RedirectRule.isRedirect(head) { return redirected(question, head) }
        switch question.kind {
        case .whole: return wholeAnswered(question, head)
        case .result:
            // To try that again would be to upload again.
            return head.status >= 500 || head.status == 429
                ? discard(head, then: .end(Self.taken)) : final(question, head)
        case .discover: return discovered(question, head)
        case .create: return created(question, head)
        case .offset: return offsetTold(question, head)
        case .append: return appended(question, head)
        case .removal: return final(question, head)
        case .termination:
            // Without the extension a DELETE might mean anything.
            guard (200..<300).contains(head.status), head.list("Tus-Extension").contains("termination") else {
                return discard(head, then: .end(.stopped))
            }
            var next = question
            next.kind = .removal
            return discard(head, then: .ask(next))
        }
    }

    /// 401: asks again with an answer, or lets the app know; nil where it is final.
    ///
    /// Also after a POST with all its bytes: a server that says 401 has not carried it out (RFC 9110 §15.5.2).
    private mutating func challenged(_ question: Question, _ head: ResponseHead) -> [Directive]? {
        switch authenticator.refused(head, url: question.url) {
        case .askAgain:
            // Bytes that the server has by its own word are not sent again.
            let place = question.kind == .whole || question.kind == .append ? resource : nil
            return discard(head, then: .ask(place.flatMap { self.question(.offset, at: $0) } ?? question))
        case .tell(let challenges): return discard(head, then: .end(.challenged(challenges)))
        case .giveUp: return nil
        }
    }

    /// The file is larger than the server takes: better said at once than after all bytes.
    func sizeRefused(_ question: Question, _ head: ResponseHead) -> TransferFailure? {
        guard let most = limits.maximumSize, plan.source.size > most else { return nil }
        // It took it all the same.
        if (200..<400).contains(head.status), [.whole, .append, .result].contains(question.kind) { return nil }
        return TransferFailure(
            cause: .tooLarge,
            message:
                "\(host) takes files of at most \(most) bytes, and \(plan.source.shownPath) has \(plan.source.size).")
    }

    /// The next part follows.
    mutating func partTaken(_ head: ResponseHead) -> [Directive] {
        let offset = head.uploadOffset ?? sending.upperBound
        // Interim answers may have told of all of it before: it is new even so.
        if offset > sending.lowerBound { confirmed = min(confirmed, sending.lowerBound) }
        return goOn(from: offset, head)
    }

    /// Whether more has to follow what was sent last.
    var isPart: Bool { sending.upperBound < plan.source.size }

    /// An answer to a request that makes the upload: it may have carried only a part, or more than the server takes at once.
    private mutating func wholeAnswered(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if head.status == 413, resource?.kind == .draft, limits.maximumAppend != nil { return askForOffset(head) }
        guard (200..<300).contains(head.status), isPart, head.saysUploadIsComplete != true else {
            return final(question, head)
        }
        if resource == nil, let location = head.value("Location"), let url = place(location, from: question) {
            resource = UploadResume(kind: .draft, url: url, modified: plan.source.modified)
            confirmed = 0
        }
        guard resource != nil else {
            let failure = malformed("took a part of the upload but did not say where the rest may go.")
            return discard(head, then: .end(.failed(failure)))
        }
        return partTaken(head)
    }

    /// An answer to the upload itself.
    mutating func final(_ question: Question, _ head: ResponseHead) -> [Directive] {
        switch head.status {
        case 511:
            return discard(head, then: .end(.failed(wantsLogin("answered 511: this network wants a login first."))))
        case 408, 425, 429, 500, 502, 503, 504:
            // The server has it all and could not use it: to go on from there would help nobody.
            if head.saysUploadIsComplete == true { resource = nil }
            return discard(head, then: .end(.failed(head.failureThatMayPass(host: host, now: plan.now))))
        default:
            state = .answering(Answer(question: question, status: head.status))
            return [.keepAnswer(head)]
        }
    }

    private mutating func redirected(_ question: Question, _ head: ResponseHead) -> [Directive] {
        let location = head.value("Location") ?? ""
        var next = question
        switch question.kind {
        case .whole:
            // As browsers do.
            let isPost = plan.source.method == .post
            if head.status == 303 || isPost && (head.status == 301 || head.status == 302) {
                next.kind = .result
            }
            if let failure = portal(question, head) { return discard(head, then: .end(.failed(failure))) }
        case .result:
            break
        case .discover, .create, .offset, .append, .termination, .removal:
            // It would lead to a page, and none of these asks for one.
            guard head.status != 303 else { return final(question, head) }
        }
        switch rule.next(location: location, from: question.url, fields: question.fields, visited: question.visited) {
        case .follow(let url, let fields):
            next.url = url
            next.fields = fields
            next.visited.append(url)
            if question.kind == .offset || question.kind == .append { resource?.url = url }
            return discard(head, then: .ask(next))
        case .refuse(let failure):
            return discard(head, then: .end(question.kind == .result ? Self.taken : .failed(failure)))
        }
    }

    /// A network's login page: an answer without TLS that leads to another host. The bytes are not for that one.
    private func portal(_ question: Question, _ head: ResponseHead) -> TransferFailure? {
        guard (301...303).contains(head.status) else { return nil }
        let base = URLReference(question.url)
        let target = URLReference(head.value("Location") ?? "").resolved(against: base)
        guard base.scheme == "http", target.host != base.host else { return nil }
        return wantsLogin(
            "answered the upload with a redirect to \(target.hostAndPort); this network may want a login first.")
    }

    private func wantsLogin(_ what: String) -> TransferFailure {
        TransferFailure(cause: .captivePortal, message: "\(host) \(what)")
    }
}
