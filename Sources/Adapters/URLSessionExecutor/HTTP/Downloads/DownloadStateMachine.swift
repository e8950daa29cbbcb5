// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocol of one download attempt: which requests are sent, and what the answers mean.
///
/// Does nothing itself.
///
/// A small first request for a range learns size, version and range support and brings the first bytes; the rest is
/// asked for with `If-Range`. Whatever does not fit together exactly is fetched anew from 0. Every request ends with
/// `ended`; only then comes what follows it, so that there is never more than one: but for the pieces of a large file, see
/// SegmentedBody.
struct DownloadStateMachine: Sendable {
    /// What to do, in order.
    enum Directive: Hashable, Sendable {
        /// Send the request. Its end is told by `ended`.
        case send(RequestHead)
        /// Cancel the request under way; `ended` follows all the same.
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
        /// The attempt is over.
        case end(Ending)
    }

    /// What to do with bytes of a body.
    enum BytesDirective: Hashable, Sendable {
        /// Write that many at the present position.
        case write(Int)
        /// They belong to nothing that is kept.
        case drop
        /// They are one too many, or unwanted: do this instead of writing.
        case instead([Directive])
    }

    /// How an attempt ends without a complete file.
    enum Ending: Hashable, Sendable {
        /// An earlier run's file is still the server's.
        case alreadyComplete(status: Int)
        /// The server's answer is final and has no file.
        case answered(status: Int)
        /// The server wants a login that only the app can give.
        case challenged([AuthenticationChallenge])
        /// It failed; the bytes so far are worth keeping or not.
        case failed(TransferFailure, keepsBytes: Bool)
        /// Stopped as asked.
        case stopped
    }

    struct Question: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            /// The small range that begins every attempt.
            case first
            /// All that is missing.
            case rest
            /// Everything, without a range.
            case whole
        }
        var kind: Kind
        var url: String
        var fields: [HeaderField]
        var visited: [String]
    }

    enum Next: Hashable, Sendable {
        case ask(Question)
        case end(Ending)
        case finish(ServerFile)
    }

    struct Body: Hashable, Sendable {
        var file: ServerFile
        /// Where this body ends; nil when only its end tells.
        var end: Int64?
        /// The question that asks for more after it.
        var more: Question?
    }

    enum State: Hashable, Sendable {
        case ready
        case asking(Question)
        case receiving(Body)
        /// The rest comes in pieces.
        case segmented(SegmentedBody)
        /// The answer is not wanted, or not any more; what follows its end.
        case discarding(bytes: Int64, then: Next)
        case over
    }

    /// Bodies that are not wanted are read up to here, since that keeps the connection; longer ones are cut off.
    static let largestDiscarded: Int64 = 65536

    let plan: DownloadPlan
    var state = State.ready
    /// Where the next byte goes.
    var position: Int64
    /// Bytes of the partial file beyond `position`, in order; of no meaning while segmented.
    var extents: [Range<Int64>]
    /// What the partial file's bytes belong to.
    var known: ServerFile?
    /// Whether there is a version and a total that an answer must match.
    var expectedTotal: Int64?
    var expectedVersion: Validator?

    /// What servers are told about who asks.
    var authenticator: Authenticator
    /// The nonces that the requests for pieces were sent with, by the numbers of the segments.
    var segmentNonces: [Int: String] = [:]

    init(plan: DownloadPlan) {
        self.plan = plan
        authenticator = Authenticator(plan.logins, url: plan.url)
        let canContinue = plan.offset > 0 && plan.validator?.ifRange != nil
        position = canContinue ? plan.offset : 0
        extents = canContinue ? plan.extents : []
        expectedTotal = canContinue ? plan.total : nil
        expectedVersion = canContinue ? plan.validator : nil
    }

    /// Begins: the first request, or the reason why there can be none.
    mutating func start() -> [Directive] {
        let reference = URLReference(plan.url)
        guard let scheme = reference.scheme, scheme == "http" || scheme == "https", !reference.host.isEmpty else {
            state = .over
            let what = reference.scheme.map { "\($0): URLs" } ?? "URLs without http:// or https:// and a host"
            let message = "Only http and https URLs can be transferred, no \(what)."
            return [.end(.failed(TransferFailure(cause: .unsupportedURL, message: message), keepsBytes: true))]
        }
        let url = reference.withoutUserInfo.text
        let directives: [Directive] = plan.offset > 0 && position == 0 ? [.startOver] : []
        return directives + ask(Question(kind: .first, url: url, fields: firstFields(), visited: [url]))
    }

    /// The head of an answer came.
    mutating func received(_ head: ResponseHead) -> [Directive] {
        switch state {
        case .asking(let question):
            // Interim answers tell nothing that is needed.
            if (100..<200).contains(head.status) { return [] }
            return answered(question, head)
        case .ready, .receiving, .segmented, .discarding, .over:
            return []
        }
    }

    /// Bytes of the body came.
    mutating func received(bytes count: Int) -> BytesDirective {
        switch state {
        case .receiving(let body):
            let end = position + Int64(count)
            if let limit = plan.maximumBytes, end > limit {
                return .instead(abandon(then: .end(.failed(tooLarge(limit), keepsBytes: false))))
            }
            if let expected = body.end, end > expected {
                let failure = malformed("sent more bytes than it said it would.")
                return .instead(abandon(then: .end(.failed(failure, keepsBytes: false))))
            }
            position = end
            return .write(count)
        case .discarding(let bytes, let next):
            let sum = bytes + Int64(count)
            state = .discarding(bytes: sum, then: next)
            let crosses = bytes <= Self.largestDiscarded && sum > Self.largestDiscarded
            return crosses ? .instead([.cancelRequest]) : .drop
        case .ready, .asking, .segmented, .over:
            return .drop
        }
    }

    /// The request is over: with everything that belongs to it, or with a failure.
    mutating func ended(_ failure: TransferFailure?) -> [Directive] {
        switch state {
        case .asking:
            let failure = failure ?? malformed("ended its answer before it began.")
            return end(.failed(failure, keepsBytes: true))
        case .receiving(let body):
            return bodyEnded(body, failure)
        case .discarding(_, let next):
            switch next {
            case .ask(let question): return ask(question)
            case .end(let ending): return end(ending)
            case .finish(let file):
                state = .over
                return [.finish(file)]
            }
        case .ready, .segmented, .over:
            return []
        }
    }

    /// Ends the attempt from outside: a stop, a deadline, a full disk.
    ///
    /// The request, if any, is cancelled first.
    mutating func interrupt(_ ending: Ending) -> [Directive] {
        switch state {
        case .ready:
            return end(ending)
        case .asking, .receiving:
            return abandon(then: .end(ending))
        case .discarding(let bytes, let next):
            // What was decided before stays: an answer, a failure.
            if case .ask = next { state = .discarding(bytes: bytes, then: .end(ending)) }
            return [.cancelRequest]
        case .segmented(var body):
            let steps = body.interrupt(ending)
            state = .segmented(body)
            return directives(steps)
        case .over:
            return []
        }
    }

    private mutating func bodyEnded(_ body: Body, _ failure: TransferFailure?) -> [Directive] {
        if let failure { return end(.failed(failure, keepsBytes: failure.cause != .encodedBody)) }
        if let expected = body.end, position < expected {
            let message = "\(host) ended its answer after \(position) of \(expected) bytes."
            return end(.failed(TransferFailure(cause: .connection, message: message), keepsBytes: true))
        }
        if let more = body.more {
            guard body.end == position else {
                return end(.failed(malformed("sent a part of unknown length."), keepsBytes: false))
            }
            return askForRest(more, body.file)
        }
        state = .over
        return [.finish(body.file)]
    }
}
