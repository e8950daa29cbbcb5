// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferModel

/// The HTTP exchange of an attempt: decides which requests are sent, and interprets the responses.
///
/// The machine only decides and performs no input or output. Every request ends with `ended` before the next request
/// is sent, so at most one request runs at a time.
///
/// Downloads and uploads differ in their requests and in the meaning of the responses. Logins, redirects, unneeded
/// bodies, interruptions, and the order of requests are implemented here for both.
protocol AttemptStateMachine: Sendable {
    /// The kinds of requests.
    associatedtype Kind: Hashable, Sendable
    /// A response whose body is needed.
    associatedtype Body: Hashable, Sendable
    associatedtype Directive: AttemptDirective

    var request: RequestPlan { get }
    var state: State { get set }
    /// The source of the credentials for each server.
    var authenticator: Authenticator { get set }
    /// A Boolean value that indicates whether all bytes of the running request have been given to the network.
    var isBodySent: Bool { get }
    /// The URL whose host appears in messages while no response is awaited.
    var idleURL: String { get }
    func url(of body: Body) -> String

    /// Sends the first request, or ends the attempt if no request is possible.
    mutating func begin() -> [Directive]
    /// Sends a request.
    mutating func send(_ attemptRequest: Request) -> [Directive]
    /// Handles the head of an interim response (1xx).
    mutating func interim(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive]
    /// Handles the head of a final response.
    mutating func responded(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive]
    /// Handles the end of a request that received no head.
    mutating func failedWithoutResponse(_ attemptRequest: Request, _ failure: TransferFailure) -> [Directive]
    /// Handles bytes of a body that is needed.
    mutating func received(_ count: Int, of body: Body) -> BytesDirective<Directive>
    /// Handles the end of a body. `failure` is `nil` if the body is complete.
    mutating func ended(_ body: Body, _ failure: TransferFailure?) -> [Directive]
    /// Ends the attempt while a body is arriving.
    mutating func interrupt(_ body: Body, _ ending: Ending) -> [Directive]
}

extension AttemptStateMachine {
    typealias Request = AttemptRequest<Kind>
    typealias Step = AttemptStep<Kind, Directive>
    typealias State = AttemptState<Kind, Body, Directive>
    typealias Ending = Directive.Ending

    /// The largest unneeded body that is read to its end in bytes. Reading the body keeps the connection; a larger
    /// body is cut off.
    static var largestDiscarded: Int64 { 65536 }

    var isBodySent: Bool { true }
    var idleURL: String { request.url }

    /// The server of the current request.
    private var server: URLReference {
        switch state {
        case .awaitingHead(let attemptRequest): URLReference(attemptRequest.url)
        case .receiving(let body): URLReference(url(of: body))
        case .ready, .discarding, .ended: URLReference(idleURL)
        }
    }

    /// The host of the current request, for messages.
    var host: String { server.hostAndPort }

    // MARK: Events of a request

    /// Handles the head of a response.
    mutating func received(_ head: ResponseHead) -> [Directive] {
        guard case .awaitingHead(let attemptRequest) = state else { return [] }
        return (100..<200).contains(head.status) ? interim(attemptRequest, head) : responded(attemptRequest, head)
    }

    /// Handles bytes of a response's body.
    mutating func received(bytes count: Int) -> BytesDirective<Directive> {
        switch state {
        case .receiving(let body):
            return received(count, of: body)
        case .discarding(let bytes, let step):
            let sum = bytes + Int64(count)
            state = .discarding(bytes: sum, then: step)
            let crosses = bytes <= Self.largestDiscarded && sum > Self.largestDiscarded
            return crosses ? .instead([.cancelRequest]) : .drop
        case .ready, .awaitingHead, .ended:
            return .drop
        }
    }

    /// Handles the end of the request. `failure` is `nil` if the response is complete.
    mutating func ended(_ failure: TransferFailure?) -> [Directive] {
        switch state {
        case .awaitingHead(let attemptRequest):
            return failedWithoutResponse(
                attemptRequest, failure ?? malformed("closed the connection without a response."))
        case .receiving(let body):
            return ended(body, failure)
        case .discarding(_, .send(let attemptRequest)):
            return send(attemptRequest)
        case .discarding(_, .conclude(let directive)):
            return conclude(directive)
        case .ready, .ended:
            return []
        }
    }

    /// Ends the attempt for an outside reason: a stop, a deadline, a full disk, or a changed file.
    ///
    /// Cancels the running request first.
    mutating func interrupt(_ ending: Ending) -> [Directive] {
        switch state {
        case .ready:
            return conclude(.end(ending))
        case .awaitingHead:
            return abandon(then: .end(ending))
        case .receiving(let body):
            return interrupt(body, ending)
        case .discarding(let bytes, .send):
            state = .discarding(bytes: bytes, then: .end(ending))
            return [.cancelRequest]
        case .discarding(_, .conclude):
            // An earlier decision, such as a response or a failure, remains in effect.
            return [.cancelRequest]
        case .ended:
            return []
        }
    }

    mutating func interim(_ attemptRequest: Request, _ head: ResponseHead) -> [Directive] { [] }

    mutating func failedWithoutResponse(_ attemptRequest: Request, _ failure: TransferFailure) -> [Directive] {
        conclude(.end(.failed(failure)))
    }

    // MARK: Common responses

    /// Returns the step after a response that requires a login, or `nil` if the response is final. Every final response
    /// passes here first, and its cookies are kept.
    mutating func login(_ attemptRequest: Request, _ head: ResponseHead) -> Step? {
        authenticator.cookies.record(head, from: attemptRequest.url, at: request.now)
        // Credentials for the server do not help with a proxy.
        if head.status == 407, let proxy = request.proxy { return .fail(.proxyRefused(proxy)) }
        guard head.status == 401 else {
            authenticator.accepted(by: attemptRequest.url)
            return nil
        }
        return switch authenticator.refused(head, url: attemptRequest.url) {
        case .retry: .send(attemptRequest)
        case .challengeApp(let challenges): .end(.challenged(challenges))
        case .giveUp: nil
        }
    }

    /// Returns the step after a redirect, or `nil` if the response is not a redirect.
    ///
    /// - Parameter sendsBody: Whether the next request has the body of the request.
    func redirect(_ attemptRequest: Request, _ head: ResponseHead, sendsBody: Bool = false) -> Step? {
        guard RedirectRule.isRedirect(head) else { return nil }
        let location = head.value("Location") ?? ""
        var next = attemptRequest
        switch request.redirects.next(
            location: location, from: attemptRequest.url, fields: attemptRequest.fields,
            visited: attemptRequest.visited,
            sendsBody: sendsBody
        )
        {
        case .follow(let url, let fields):
            (next.url, next.fields) = (url, fields)
            next.visited.append(url)
            return .send(next)
        case .refuse(let failure):
            return .fail(failure)
        }
    }

    /// Returns the failure for a response that may differ on a later attempt, or `nil` if the response is final.
    func retryableFailure(_ head: ResponseHead) -> TransferFailure? {
        switch head.status {
        case 511: captivePortalFailure("returned 511: this network requires a login.")
        case 408, 425, 429, 500, 502, 503, 504: temporaryFailure(head)
        default: nil
        }
    }

    // MARK: Discarding a response

    /// Reads an unneeded body to its end if the body is short, so that the connection can be reused.
    ///
    /// Cuts off a running upload, because the rest of the upload is not needed.
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
        state = .ended
        return [directive]
    }

    // MARK: Failures

    func malformed(_ what: String) -> TransferFailure {
        TransferFailure(cause: .malformedResponse, message: "\(host) \(what)")
    }

    func captivePortalFailure(_ what: String) -> TransferFailure {
        TransferFailure(cause: .captivePortal, message: "\(host) \(what)")
    }

    /// Returns the failure for a status that may be temporary.
    func temporaryFailure(_ head: ResponseHead) -> TransferFailure {
        head.temporaryStatusFailure(from: server, now: request.now)
    }
}

extension TransferFailure {
    /// Returns the failure for a proxy that returned 407. `proxy` is the host and port of the proxy.
    static func proxyRefused(_ proxy: String) -> TransferFailure {
        let message =
            "The proxy \(proxy) requires a valid user name and password (407). Include them in the proxy's URL: "
            + "http://user:password@\(proxy)."
        return TransferFailure(cause: .proxyAuthentication, message: message)
    }
}
