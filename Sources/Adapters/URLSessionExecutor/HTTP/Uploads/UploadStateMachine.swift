// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocol of one upload attempt: which requests are sent, and what the answers mean.
///
/// Does nothing itself.
///
/// A PUT goes out at once, with the fields of draft-ietf-httpbis-resumable-upload (interop version 8): a server that
/// knows them tells in an interim answer, 104, where an interrupted upload goes on. Before a POST the server is asked by
/// OPTIONS whether it speaks tus 1.0; if not, it goes out like a PUT. With a place to go on, an attempt asks there how
/// much the server has and sends the rest. As with downloads every request ends with `ended`, and only then comes what
/// follows it.
struct UploadStateMachine: Sendable {
    /// What to do, in order.
    enum Directive: Hashable, Sendable {
        /// Send the request. Its end is told by `ended`.
        case send(RequestHead)
        /// Cancel the request under way; `ended` follows all the same.
        case cancelRequest
        /// From now on the upload may go on from here.
        case remember(ResumePoint)
        /// What the server had is lost: bytes start at 0 again.
        case startOver
        /// The body of the final answer follows.
        case keepAnswer(ResponseHead)
        /// The attempt is over.
        case end(Ending)
    }

    /// What to do with bytes of a body.
    enum BytesDirective: Hashable, Sendable {
        /// Keep so many of them, which may be none: they belong to the final answer.
        case keep(Int)
        /// They belong to nothing that is kept.
        case drop
        /// There are too many: do this.
        case instead([Directive])
    }

    /// How an attempt ends.
    enum Ending: Hashable, Sendable {
        /// With the server's word; its body may have been cut.
        case answered(status: Int, isCut: Bool)
        case failed(TransferFailure)
        /// The server wants a login, and the app is to say which.
        case challenged([AuthenticationChallenge])
        /// Stopped as asked.
        case stopped
    }

    struct Question: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            /// The upload itself, in one request.
            case whole
            /// The page that a server redirects to after it took an upload.
            case result
            /// Whether the server speaks tus.
            case discover
            /// A place for a tus upload.
            case create
            /// How much the server has.
            case offset
            /// What is missing.
            case append
            /// Whether the server deletes tus uploads.
            case termination
            /// That it deletes the upload.
            case removal
        }
        var kind: Kind
        var url: String
        var fields: [HeaderField]
        var visited: [String]
    }

    enum Next: Hashable, Sendable {
        case ask(Question)
        case begin
        case end(Ending)
    }

    struct Answer: Hashable, Sendable {
        var question: Question
        var status: Int
        var bytes = 0
        /// Whether we ended it ourselves.
        var isCut = false
    }

    enum State: Hashable, Sendable {
        case ready
        case asking(Question)
        /// The final answer's body comes.
        case answering(Answer)
        /// The answer is not wanted, or not any more; what follows its end.
        case discarding(bytes: Int, then: Next)
        case over
    }

    /// The upload was taken, but the page about it could not be had.
    static let taken = Ending.answered(status: 303, isCut: true)
    /// Bodies that are not wanted are read up to here, since that keeps the connection; longer ones are cut off.
    static let largestDiscarded = 65536
    /// So much of a final answer is read after what is kept, for the same reason.
    static let largestDrained = 1 << 20
    /// How often the server may contradict itself about what it has, without having more.
    static let mostCorrections = 3

    let plan: UploadPlan
    var state = State.ready
    var authenticator: Authenticator
    /// Where an interrupted upload goes on; nil where there is no such place.
    var resource: UploadResume?
    /// How many bytes the server has said it has there.
    var confirmed: Int64
    /// Whether all bytes of the request under way have been given to the network. Set before each call.
    var isBodySent = true
    var hasStartedOver = false
    var corrections = 0
    /// What the server has said that it takes.
    var limits = UploadLimits()
    /// Which bytes the request under way carries, or the one before; not all where the server takes only so many at once.
    var sending: Range<Int64> = 0..<0

    init(plan: UploadPlan) {
        self.plan = plan
        authenticator = Authenticator(plan.logins, url: plan.url)
        let isOurs = plan.isResumable && plan.resume?.modified == plan.source.modified
        resource = isOurs ? plan.resume : nil
        confirmed = resource == nil ? 0 : max(0, min(plan.offset, plan.source.size))
    }

    /// Where the next attempt can go on.
    var resumePoint: ResumePoint? {
        resource.map { ResumePoint(upload: $0, offset: confirmed, total: plan.source.size) }
    }

    /// Where the bytes of the request under way begin: those before are on the server.
    var start: Int64 {
        if case .asking(let question) = state, question.kind == .append { confirmed } else { 0 }
    }

    /// Begins: the first request, or the reason why there can be none.
    mutating func begin() -> [Directive] {
        let reference = URLReference(plan.url)
        guard let scheme = reference.scheme, scheme == "http" || scheme == "https", !reference.host.isEmpty else {
            let what = reference.scheme.map { "\($0): URLs" } ?? "URLs without http:// or https:// and a host"
            let message = "Only http and https URLs can be transferred, no \(what)."
            return end(.failed(TransferFailure(cause: .unsupportedURL, message: message)))
        }
        let isForgotten = plan.resume != nil && resource == nil && !hasStartedOver
        let directives: [Directive] = isForgotten ? [.startOver] : []
        if let resource, let question = question(.offset, at: resource) { return directives + ask(question) }
        resource = nil
        confirmed = 0
        let url = reference.withoutUserInfo.text
        let asksFirst = plan.isResumable && plan.source.method == .post
        let fields = firstFields()
        return directives
            + ask(Question(kind: asksFirst ? .discover : .whole, url: url, fields: fields, visited: [url]))
    }

    /// Begins to have the upload deleted at the server, in place of going on with it.
    mutating func beginRemoval() -> [Directive] {
        guard let resource, let question = question(resource.kind == .tus ? .termination : .removal, at: resource)
        else { return end(.stopped) }
        return ask(question)
    }

    /// The head of an answer came.
    mutating func received(_ head: ResponseHead) -> [Directive] {
        switch state {
        case .asking(let question):
            limits.note(head)
            if let failure = sizeRefused(question, head) {
                resource = nil
                return discard(head, then: .end(.failed(failure)))
            }
            return (100..<200).contains(head.status) ? interim(question, head) : answered(question, head)
        case .ready, .answering, .discarding, .over:
            return []
        }
    }

    /// Bytes of an answer's body came.
    mutating func received(bytes count: Int) -> BytesDirective {
        switch state {
        case .answering(var answer):
            let room = max(0, ServerAnswer.largestBody - answer.bytes)
            answer.bytes += count
            // An answer that is too long does not end an upload that still runs.
            let isTooLong = answer.bytes > ServerAnswer.largestBody + Self.largestDrained && isBodySent
            let begins = isTooLong && !answer.isCut
            answer.isCut = answer.isCut || isTooLong
            state = .answering(answer)
            return begins ? .instead([.cancelRequest]) : .keep(min(room, count))
        case .discarding(let bytes, let next):
            let sum = bytes + count
            state = .discarding(bytes: sum, then: next)
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
        case .answering(let answer):
            // A refusal needs no body, and what was sent whole and accepted is not sent again for half a page.
            if answer.status >= 300 || isBodySent {
                return end(.answered(status: answer.status, isCut: answer.isCut || failure != nil))
            }
            return end(.failed(failure ?? malformed("ended the connection before it had the whole file.")))
        case .discarding(_, let next):
            switch next {
            case .ask(let question): return ask(question)
            case .begin: return begin()
            case .end(let ending): return end(ending)
            }
        case .ready, .over:
            return []
        }
    }

    /// Ends the attempt from outside: a stop, a deadline, a file that changed.
    ///
    /// The request, if any, is cancelled first.
    mutating func interrupt(_ ending: Ending) -> [Directive] {
        switch state {
        case .ready:
            return end(ending)
        case .asking:
            return abandon(then: .end(ending))
        case .answering(let answer):
            // The server has spoken: to ask again would be to upload again.
            let isFinal = answer.status >= 300 || isBodySent
            return abandon(then: .end(isFinal ? .answered(status: answer.status, isCut: true) : ending))
        case .discarding(let bytes, let next):
            switch next {
            // What was decided before stays: an answer, a failure.
            case .end: break
            case .ask, .begin: state = .discarding(bytes: bytes, then: .end(ending))
            }
            return [.cancelRequest]
        case .over:
            return []
        }
    }

    private mutating func unanswered(_ question: Question, _ failure: TransferFailure) -> [Directive] {
        switch question.kind {
        case .result:
            // The upload itself was taken.
            return end(Self.taken)
        case .discover where failure.cause == .connection || failure.cause == .malformedAnswer:
            // Some servers drop what they do not know. Where there is no server, the upload itself will tell.
            return askForWhole()
        case .whole, .discover, .create, .offset, .append, .termination, .removal:
            return end(.failed(failure))
        }
    }
}
