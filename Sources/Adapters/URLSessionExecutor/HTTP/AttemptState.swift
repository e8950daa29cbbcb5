// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A request of an attempt, before it is put into the words of HTTP.
struct AttemptQuestion<Kind: Hashable & Sendable>: Hashable, Sendable {
    /// What is asked for.
    var kind: Kind
    var url: String
    /// The fields that go with every request of the attempt.
    var fields: [HeaderField]
    /// The URLs that led here by redirects, the present one included.
    var visited: [String]
}

/// The step that follows the end of a request.
enum AttemptStep<Kind: Hashable & Sendable, Directive: AttemptDirective>: Hashable, Sendable {
    case ask(AttemptQuestion<Kind>)
    /// The last directive: nothing is asked any more.
    case conclude(Directive)

    /// Ends the attempt.
    static func end(_ ending: Directive.Ending) -> Self { .conclude(.end(ending)) }

    /// Ends the attempt as failed; the bytes so far are kept.
    static func fail(_ failure: TransferFailure) -> Self { .end(.failed(failure)) }
}

/// The state of an attempt: one request at a time.
enum AttemptState<Kind: Hashable & Sendable, Body: Hashable & Sendable, Directive: AttemptDirective>: Hashable, Sendable
{
    case ready
    case asking(AttemptQuestion<Kind>)
    /// The body of an answer comes.
    case receiving(Body)
    /// The answer is not wanted, or not any more.
    case discarding(bytes: Int64, then: AttemptStep<Kind, Directive>)
    case over
}

/// A directive of an attempt's state machine; the cases that every machine needs.
protocol AttemptDirective: Hashable, Sendable {
    associatedtype Ending: AttemptEnding
    /// Send the request. Its end is told by `ended`.
    static func send(_ request: RequestHead) -> Self
    /// Cancel the request under way; `ended` follows all the same.
    static var cancelRequest: Self { get }
    /// The attempt is over.
    static func end(_ ending: Ending) -> Self
}

/// The end of an attempt; the cases that every machine needs.
protocol AttemptEnding: Hashable, Sendable {
    /// It failed; the bytes so far are kept.
    static func failed(_ failure: TransferFailure) -> Self
    /// The server wants a login that only the app can give.
    static func challenged(_ challenges: [AuthenticationChallenge]) -> Self
    /// Stopped as asked.
    static var stopped: Self { get }
}

/// The use of bytes of a body.
enum BytesDirective<Directive: AttemptDirective>: Hashable, Sendable {
    /// Keep that many of them, which may be none.
    case keep(Int)
    /// They belong to nothing that is kept.
    case drop
    /// They are too many, or unwanted: do this instead.
    case instead([Directive])
}
