// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocol of one download attempt.
///
/// A small first request for a range learns size, version and range support and brings the first bytes; the rest is
/// asked for with `If-Range`. Whatever does not fit together exactly is fetched anew from 0. There is never more than one
/// request: but for the pieces of a large file, see SegmentedBody.
struct DownloadStateMachine: AttemptStateMachine {
    /// What to do, in order.
    enum Directive: AttemptDirective {
        case send(RequestHead)
        case cancelRequest
        /// Send a request for a segment, while others may be under way. Its end is told by `ended(_:segment:)`.
        case sendSegment(Int, RequestHead)
        /// Cancel the request of that segment; its end follows all the same.
        case cancelSegment(Int)
        /// Cut the partial file to nothing: its bytes cannot be used.
        case startOver
        /// Bytes of that file follow at the present position.
        case receive(ServerFile)
        /// All bytes are there: check and put the file in its place.
        case finish(ServerFile)
        case end(Ending)
    }

    /// How an attempt ends without a complete file.
    enum Ending: AttemptEnding {
        /// An earlier run's file is still the server's.
        case alreadyComplete(status: Int)
        /// The server's answer is final and has no file.
        case answered(status: Int)
        case challenged([AuthenticationChallenge])
        /// It failed; the bytes so far are worth keeping or not.
        case failed(TransferFailure, keepsBytes: Bool)
        case stopped

        static func failed(_ failure: TransferFailure) -> Self { .failed(failure, keepsBytes: true) }
    }

    enum Kind: Hashable, Sendable {
        /// The small range that begins every attempt.
        case first
        /// All that is missing.
        case rest
        /// Everything, without a range.
        case whole
    }

    enum Body: Hashable, Sendable {
        case part(Part)
        /// The rest comes in pieces.
        case segments(SegmentedBody)
    }

    /// The file, or the part of it that one answer brings.
    struct Part: Hashable, Sendable {
        var file: ServerFile
        /// Where it ends; nil when only its end tells.
        var end: Int64?
        /// The question that asks for more after it.
        var more: Question?
    }

    /// The file that an answer has to bring; what is nil is not known yet.
    struct ExpectedFile: Hashable, Sendable {
        var file: ServerFile?
        var total: Int64?
        var version: Validator?
    }

    let plan: DownloadPlan
    var state = State.ready
    /// Where the next byte goes.
    var position: Int64
    /// Bytes of the partial file beyond `position`, in order; of no meaning while segmented.
    var extents: [Range<Int64>]
    /// The file that the bytes belong to, and that an answer must match.
    var expected = ExpectedFile()
    var authenticator: Authenticator
    /// The nonces that the requests for pieces were sent with, by the numbers of the segments.
    var segmentNonces: [Int: String] = [:]

    init(plan: DownloadPlan) {
        self.plan = plan
        authenticator = Authenticator(plan.request.logins, url: plan.request.url)
        let canContinue = plan.offset > 0 && plan.validator?.ifRange != nil
        position = canContinue ? plan.offset : 0
        extents = canContinue ? plan.extents : []
        if canContinue { (expected.total, expected.version) = (plan.total, plan.validator) }
    }

    var request: RequestPlan { plan.request }
    var idleURL: String { expected.file?.url ?? plan.request.url }

    func url(of body: Body) -> String {
        switch body {
        case .part(let part): part.file.url
        case .segments(let body): body.question.url
        }
    }

    mutating func begin() -> [Directive] {
        if let failure = request.unsupportedURL { return conclude(.end(.failed(failure))) }
        let directives: [Directive] = plan.offset > 0 && position == 0 ? [.startOver] : []
        return directives + ask(request.question(.first))
    }

    mutating func received(_ count: Int, of body: Body) -> BytesDirective<Directive> {
        // Of segments each has bytes of its own.
        guard case .part(let part) = body else { return .drop }
        let end = position + Int64(count)
        if let limit = plan.maximumBytes, end > limit { return .instead(refuse(.tooLarge(limit, from: host))) }
        if let expected = part.end, end > expected { return .instead(refuse(malformed(Self.tooManyBytes))) }
        position = end
        return .keep(count)
    }

    mutating func ended(_ body: Body, _ failure: TransferFailure?) -> [Directive] {
        guard case .part(let part) = body else { return [] }
        if let failure { return conclude(.end(.failed(failure, keepsBytes: failure.cause != .encodedBody))) }
        if let expected = part.end, position < expected {
            return conclude(.end(.failed(.endedEarly(at: position, of: expected, from: host))))
        }
        guard let more = part.more else { return conclude(.finish(part.file)) }
        guard part.end == position else {
            return conclude(.end(.failed(malformed("sent a part of unknown length."), keepsBytes: false)))
        }
        return askForRest(more, part.file)
    }

    mutating func interrupt(_ body: Body, _ ending: Ending) -> [Directive] {
        guard case .segments(var body) = body else { return abandon(then: .end(ending)) }
        let steps = body.interrupt(ending)
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// Ends the attempt with nothing to be kept of it.
    mutating func refuse(_ failure: TransferFailure) -> [Directive] {
        abandon(then: .end(.failed(failure, keepsBytes: false)))
    }

    // MARK: Failures

    static let tooManyBytes = "sent more bytes than it said it would."
}

extension TransferFailure {
    static func endedEarly(at position: Int64, of total: Int64, from host: String) -> TransferFailure {
        TransferFailure(cause: .connection, message: "\(host) ended its answer after \(position) of \(total) bytes.")
    }

    static func tooLarge(_ limit: Int64, from host: String) -> TransferFailure {
        TransferFailure(cause: .tooLarge, message: "\(host) has more than the \(limit) bytes that are allowed.")
    }
}
