// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocol of one attempt: which requests are sent, and what the answers mean.
///
/// Does nothing itself. Every request ends with `ended`; only then comes what follows, so that there is never more than
/// one. Downloads and uploads differ in what they ask for and in what the answers mean; logins, redirects, unwanted
/// bodies, interruptions and the order of it all are the same, and are here.
protocol AttemptStateMachine: Sendable {
    /// The requests that there are.
    associatedtype Kind: Hashable, Sendable
    /// An answer whose body is wanted.
    associatedtype Body: Hashable, Sendable
    associatedtype Directive: AttemptDirective

    var request: RequestPlan { get }
    var state: State { get set }
    /// What servers are told about who asks.
    var authenticator: Authenticator { get set }
    /// Whether all bytes of the request under way have been given to the network.
    var isBodySent: Bool { get }
    /// The URL whose host is named in messages while no answer is awaited.
    var idleURL: String { get }
    func url(of body: Body) -> String

    /// Begins: the first request, or the reason why there can be none.
    mutating func begin() -> [Directive]
    /// Sends a question.
    mutating func ask(_ question: Question) -> [Directive]
    /// The head of an interim answer came (1xx).
    mutating func interim(_ question: Question, _ head: ResponseHead) -> [Directive]
    /// The head of an answer came.
    mutating func answered(_ question: Question, _ head: ResponseHead) -> [Directive]
    /// The request ended without the head of an answer.
    mutating func unanswered(_ question: Question, _ failure: TransferFailure) -> [Directive]
    /// Bytes of a body that is wanted came.
    mutating func received(_ count: Int, of body: Body) -> BytesDirective<Directive>
    /// The body is over: it is whole, or it broke with a failure.
    mutating func ended(_ body: Body, _ failure: TransferFailure?) -> [Directive]
    /// The attempt ends from outside while a body comes.
    mutating func interrupt(_ body: Body, _ ending: Ending) -> [Directive]
}

extension AttemptStateMachine {
    typealias Question = AttemptQuestion<Kind>
    typealias Step = AttemptStep<Kind, Directive>
    typealias State = AttemptState<Kind, Body, Directive>
    typealias Ending = Directive.Ending

    /// Bodies that are not wanted are read up to here, since that keeps the connection; longer ones are cut off.
    static var largestDiscarded: Int64 { 65536 }

    var isBodySent: Bool { true }
    var idleURL: String { request.url }

    /// The host that is asked, for messages.
    var host: String {
        let url =
            switch state {
            case .asking(let question): question.url
            case .receiving(let body): self.url(of: body)
            case .ready, .discarding, .over: idleURL
            }
        return URLReference(url).hostAndPort
    }

    // MARK: What comes of a request

    /// The head of an answer came.
    mutating func received(_ head: ResponseHead) -> [Directive] {
        guard case .asking(let question) = state else { return [] }
        return (100..<200).contains(head.status) ? interim(question, head) : answered(question, head)
    }

    /// Bytes of an answer's body came.
    mutating func received(bytes count: Int) -> BytesDirective<Directive> {
        switch state {
        case .receiving(let body):
            return received(count, of: body)
        case .discarding(let bytes, let step):
            let sum = bytes + Int64(count)
            state = .discarding(bytes: sum, then: step)
            let crosses = bytes <= Self.largestDiscarded && sum > Self.largestDiscarded
            return crosses ? .instead([.cancelRequest]) : .drop
        case .ready, .asking, .over:
            return .drop
        }
    }

    /// The request is over: with everything that belongs to it, or with a failure.
    mutating func ended(_ failure: TransferFailure?) -> [Directive] {
        switch state {
        case .asking(let question):
            return unanswered(question, failure ?? malformed("ended its answer before it began."))
        case .receiving(let body):
            return ended(body, failure)
        case .discarding(_, .ask(let question)):
            return ask(question)
        case .discarding(_, .conclude(let directive)):
            return conclude(directive)
        case .ready, .over:
            return []
        }
    }

    /// Ends the attempt from outside: a stop, a deadline, a full disk, a file that changed.
    ///
    /// The request, if any, is cancelled first.
    mutating func interrupt(_ ending: Ending) -> [Directive] {
        switch state {
        case .ready:
            return conclude(.end(ending))
        case .asking:
            return abandon(then: .end(ending))
        case .receiving(let body):
            return interrupt(body, ending)
        case .discarding(let bytes, .ask):
            state = .discarding(bytes: bytes, then: .end(ending))
            return [.cancelRequest]
        case .discarding(_, .conclude):
            // What was decided before stays: an answer, a failure.
            return [.cancelRequest]
        case .over:
            return []
        }
    }

    mutating func interim(_ question: Question, _ head: ResponseHead) -> [Directive] { [] }

    mutating func unanswered(_ question: Question, _ failure: TransferFailure) -> [Directive] {
        conclude(.end(.failed(failure)))
    }

    // MARK: What every answer may mean

    /// The step after an answer that wants to know who asks; nil if the answer counts as it is.
    mutating func login(_ question: Question, _ head: ResponseHead) -> Step? {
        // Nothing that is said to the server helps.
        if head.status == 407, let proxy = request.proxy { return .fail(.proxyRefused(proxy)) }
        guard head.status == 401 else {
            authenticator.taken(by: question.url)
            return nil
        }
        return switch authenticator.refused(head, url: question.url) {
        case .askAgain: .ask(question)
        case .tell(let challenges): .end(.challenged(challenges))
        case .giveUp: nil
        }
    }

    /// The step after a redirect; nil if the answer is none.
    func redirect(_ question: Question, _ head: ResponseHead) -> Step? {
        guard RedirectRule.isRedirect(head) else { return nil }
        let location = head.value("Location") ?? ""
        var next = question
        switch request.redirects.next(
            location: location, from: question.url, fields: question.fields, visited: question.visited)
        {
        case .follow(let url, let fields):
            (next.url, next.fields) = (url, fields)
            next.visited.append(url)
            return .ask(next)
        case .refuse(let failure):
            return .fail(failure)
        }
    }

    /// The failure of an answer after which the server or the network may do better later; nil if the answer counts.
    func failureForNow(_ head: ResponseHead) -> TransferFailure? {
        switch head.status {
        case 511: wantsLogin("answered 511: this network wants a login first.")
        case 408, 425, 429, 500, 502, 503, 504: mayPass(head)
        default: nil
        }
    }

    // MARK: How an answer is got rid of

    /// Reads a body that is not wanted to its end if it is short, so that the connection can be used again.
    ///
    /// An upload that still runs is cut off: nobody wants the rest of it.
    mutating func discard(_ head: ResponseHead, then step: Step) -> [Directive] {
        if !isBodySent || (head.contentLength ?? 0) > Self.largestDiscarded { return abandon(then: step) }
        state = .discarding(bytes: 0, then: step)
        return []
    }

    mutating func abandon(then step: Step) -> [Directive] {
        state = .discarding(bytes: Self.largestDiscarded + 1, then: step)
        return [.cancelRequest]
    }

    mutating func conclude(_ directive: Directive) -> [Directive] {
        state = .over
        return [directive]
    }

    // MARK: Failures

    func malformed(_ what: String) -> TransferFailure {
        TransferFailure(cause: .malformedAnswer, message: "\(host) \(what)")
    }

    func wantsLogin(_ what: String) -> TransferFailure {
        TransferFailure(cause: .captivePortal, message: "\(host) \(what)")
    }

    /// A status after which the server may do better later.
    func mayPass(_ head: ResponseHead) -> TransferFailure { head.failureThatMayPass(host: host, now: request.now) }
}

extension TransferFailure {
    /// The proxy answered 407; `proxy` is its host and port.
    static func proxyRefused(_ proxy: String) -> TransferFailure {
        let message =
            "The proxy \(proxy) wants a user and password, or others than it got (407): give them in the proxy's URL, "
            + "http://user:password@\(proxy)."
        return TransferFailure(cause: .proxyAuthentication, message: message)
    }
}
