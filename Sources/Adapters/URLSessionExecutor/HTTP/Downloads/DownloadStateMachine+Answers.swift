// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What the head of an answer means.
extension DownloadStateMachine {
    mutating func answered(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if head.status == 401, let directives = challenged(question, head) { return directives }
        if head.status == 407, let proxy = plan.proxy { return refusedByProxy(proxy, head) }
        if head.status != 401 { authenticator.taken(by: question.url) }
        if RedirectRule.isRedirect(head) { return redirected(question, head) }
        switch head.status {
        case 206: return partialContent(question, head)
        // The others carry no file, or none yet: 202, 204, 205. Who wants any answer's body has said so.
        case 200, 203: return wholeContent(question, head)
        case 200..<300 where plan.keepsErrorBody: return wholeContent(question, head)
        case 304 where question.kind == .first && plan.completedBefore?.validator != nil && position == 0:
            return discard(head, then: .end(.alreadyComplete(status: 304)))
        case 416 where question.kind != .whole: return rangeRefused(question, head)
        case 511:
            let failure = wantsLogin("answered 511: this network wants a login first.")
            return discard(head, then: .end(.failed(failure, keepsBytes: true)))
        case 408, 425, 429, 500, 502, 503, 504:
            return discard(head, then: .end(.failed(mayPass(head), keepsBytes: true)))
        default:
            if head.status >= 400, plan.keepsErrorBody {
                if let refusal = unreadable(head) { return refusal }
                return keep(head, question, end: head.contentLength)
            }
            return discard(head, then: .end(.answered(status: head.status)))
        }
    }

    private mutating func redirected(_ question: Question, _ head: ResponseHead) -> [Directive] {
        let rule = RedirectRule(
            allowsInsecure: plan.allowsInsecureRedirect, staysOnLoopback: plan.staysOnLoopback)
        let location = head.value("Location") ?? ""
        switch rule.next(
            location: location, from: question.url, fields: question.fields, visited: question.visited)
        {
        case .follow(let url, let fields):
            var next = question
            next.url = url
            next.fields = fields
            next.visited.append(url)
            return discard(head, then: .ask(next))
        case .refuse(let failure):
            return discard(head, then: .end(.failed(failure, keepsBytes: true)))
        }
    }

    private mutating func partialContent(_ question: Question, _ head: ResponseHead) -> [Directive] {
        guard question.kind != .whole else {
            return abandon(
                then: .end(.failed(malformed("answered 206 to a request without a range."), keepsBytes: true)))
        }
        let range = head.value("Content-Range").flatMap { ContentRange($0) }
        if range?.hasImpossibleTotal == true { return refuseLength() }
        if let refusal = unreadable(head) { return refusal }
        guard !head.isEncoded, let range, let bytes = range.bytes, let total = range.total,
            bytes.lowerBound == position,
            expectedTotal == nil || expectedTotal == total,
            expectedVersion?.isContinued(by: head) ?? (position == 0)
        else { return askForWhole(question, head) }
        if let refusal = refusal(head, question, total: total) { return refusal }
        let file = serverFile(head, question, total: total)
        let end = bytes.upperBound + 1
        let isLast = end == total
        // Without a version to hold on to, the parts might be of two files: drop this one, fetch all at once.
        if !isLast, file.continuing == nil { return askForWhole(question, head) }
        expectedTotal = total
        expectedVersion = expectedVersion ?? file.continuing
        known = file
        var more = question
        more.kind = .rest
        more.visited = [question.url]
        state = .receiving(Body(file: file, end: end, more: isLast ? nil : more))
        return [.receive(file)]
    }

    private mutating func wholeContent(_ question: Question, _ head: ResponseHead) -> [Directive] {
        if head.isEncoded, !plan.deliversEncodedBodies {
            let coding = head.value("Content-Encoding") ?? ""
            let message =
                "\(host) sent the file encoded (\(coding)) though that was not asked for, so it cannot be checked."
            let failure = TransferFailure(cause: .encodedBody, message: message)
            return abandon(then: .end(.failed(failure, keepsBytes: false)))
        }
        if let refusal = unreadable(head) { return refusal }
        let length = head.status == 204 || head.status == 205 ? 0 : head.contentLength
        if let refusal = refusal(head, question, total: length) { return refusal }
        return keep(head, question, end: length)
    }

    /// Takes a body from 0.
    private mutating func keep(_ head: ResponseHead, _ question: Question, end: Int64?) -> [Directive] {
        let directives: [Directive] = position > 0 || !extents.isEmpty ? [.startOver] : []
        position = 0
        extents = []
        let isChunked = head.value("Transfer-Encoding") != nil
        let file = serverFile(head, question, total: isChunked ? nil : end)
        expectedTotal = file.total
        expectedVersion = file.continuing
        known = file
        state = .receiving(Body(file: file, end: file.total, more: nil))
        return directives + [.receive(file)]
    }

    /// 416: there is nothing from the asked byte on.
    private mutating func rangeRefused(_ question: Question, _ head: ResponseHead) -> [Directive] {
        let total = head.value("Content-Range").flatMap { ContentRange($0) }?.total
        if position > 0, total == position, expectedTotal == nil || expectedTotal == total, let expectedVersion {
            let isSame = head.version.flatMap { expectedVersion.isSameVersion(as: $0) } ?? true
            if isSame {
                let file = ServerFile(
                    url: question.url, status: 206, total: total, version: expectedVersion,
                    continuing: expectedVersion, disposition: head.value("Content-Disposition"),
                    lastModified: expectedVersion.lastModified)
                known = file
                return discard(head, then: .finish(file))
            }
        }
        return askForWhole(question, head)
    }

    /// What stands against a file's answer: a login page, too many bytes, or that nothing has changed.
    private mutating func refusal(_ head: ResponseHead, _ question: Question, total: Int64?) -> [Directive]? {
        if CaptivePortal.isSuspected(
            head, url: plan.url, isContinuing: position > 0, version: expectedVersion, known: known)
        {
            let failure = wantsLogin("sent a web page in place of the file; this network may want a login first.")
            return abandon(then: .end(.failed(failure, keepsBytes: true)))
        }
        if let limit = plan.maximumBytes, let total, total > limit {
            return abandon(then: .end(.failed(tooLarge(limit), keepsBytes: false)))
        }
        if question.kind == .first, position == 0, let before = plan.completedBefore {
            let version = before.validator.flatMap { mine in head.version.flatMap { mine.isSameVersion(as: $0) } }
            // An equal size alone says nothing: a file of fixed length changes, too.
            if version == true, total == nil || total == before.bytes {
                return abandon(then: .end(.alreadyComplete(status: head.status)))
            }
        }
        return nil
    }

    /// What stands against reading the body at all.
    private mutating func unreadable(_ head: ResponseHead) -> [Directive]? {
        if head.hasImpossibleLength { return refuseLength() }
        guard head.hasUnknownTransferCoding else { return nil }
        let failure = malformed("sent the file in a transfer coding that was not asked for.")
        return abandon(then: .end(.failed(failure, keepsBytes: true)))
    }

    private mutating func refuseLength() -> [Directive] {
        let failure = malformed("named a length that no file has.")
        return abandon(then: .end(.failed(failure, keepsBytes: true)))
    }

    private func serverFile(_ head: ResponseHead, _ question: Question, total: Int64?) -> ServerFile {
        ServerFile(
            url: question.url, status: head.status, total: total, version: head.version,
            continuing: head.continuingVersion, disposition: head.value("Content-Disposition"),
            lastModified: head.value("Last-Modified"), mediaType: head.mediaType)
    }

    func wantsLogin(_ what: String) -> TransferFailure {
        TransferFailure(cause: .captivePortal, message: "\(host) \(what)")
    }

    /// Whether a server may do better later, in words.
    func mayPass(_ head: ResponseHead) -> TransferFailure { head.failureThatMayPass(host: host, now: plan.now) }

    func tooLarge(_ limit: Int64) -> TransferFailure {
        TransferFailure(cause: .tooLarge, message: "\(host) has more than the \(limit) bytes that are allowed.")
    }

    func malformed(_ what: String) -> TransferFailure {
        TransferFailure(cause: .malformedAnswer, message: "\(host) \(what)")
    }
}
