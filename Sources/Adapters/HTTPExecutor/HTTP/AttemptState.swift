// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A request of an attempt, independent of its HTTP form.
struct AttemptRequest<Kind: Hashable & Sendable>: Hashable, Sendable {
    /// The purpose of the request.
    var kind: Kind
    var url: String
    /// The header fields that every request of the attempt carries.
    var fields: [HeaderField]
    /// The URLs that led to this URL by redirects, including this URL.
    var visited: [String]
    /// Whether a redirect has replaced the request by a GET without a body.
    var isGet = false
}

/// The step that follows the end of a request.
enum AttemptStep<Kind: Hashable & Sendable, Directive: AttemptDirective>: Hashable, Sendable {
    case send(AttemptRequest<Kind>)
    /// The last directive of the attempt. No request follows.
    case conclude(Directive)

    /// Returns a step that ends the attempt.
    static func end(_ ending: Directive.Ending) -> Self { .conclude(.end(ending)) }

    /// Returns a step that ends the attempt with a failure and keeps the bytes received so far.
    static func fail(_ failure: TransferFailure) -> Self { .end(.failed(failure)) }
}

/// The state of an attempt, which has at most one request at a time.
enum AttemptState<Kind: Hashable & Sendable, Body: Hashable & Sendable, Directive: AttemptDirective>: Hashable, Sendable
{
    case ready
    case awaitingHead(AttemptRequest<Kind>)
    /// The body of a response is arriving.
    case receiving(Body)
    /// The response is not needed, or is no longer needed.
    case discarding(bytes: Int64, then: AttemptStep<Kind, Directive>)
    case ended
}

/// A directive of an attempt's state machine. Lists the cases that every machine needs.
protocol AttemptDirective: Hashable, Sendable {
    associatedtype Ending: AttemptEnding
    /// Send the request. `ended` reports its end.
    static func send(_ request: RequestHead) -> Self
    /// Cancel the running request. `ended` still follows.
    static var cancelRequest: Self { get }
    /// End the attempt.
    static func end(_ ending: Ending) -> Self
}

/// The end of an attempt. Lists the cases that every machine needs.
protocol AttemptEnding: Hashable, Sendable {
    /// The attempt failed. The bytes received so far are kept.
    static func failed(_ failure: TransferFailure) -> Self
    /// The server requires a login that only the app can provide.
    static func challenged(_ challenges: [AuthenticationChallenge]) -> Self
    /// The attempt was stopped on request.
    static var stopped: Self { get }
}

/// The use of the bytes of a body.
enum BytesDirective<Directive: AttemptDirective>: Hashable, Sendable {
    /// Keep the first bytes up to this number, which may be 0.
    case keep(Int)
    /// Drop the bytes. They belong to nothing that is kept.
    case drop
    /// Perform the directives instead, because the bytes are too many or are not needed.
    case instead([Directive])
}
