// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The protocol of one upload attempt.
///
/// A PUT goes out at once, with the fields of draft-ietf-httpbis-resumable-upload (interop version 8): a server that
/// knows them tells in an interim answer, 104, where an interrupted upload goes on. Before a POST the server is asked by
/// OPTIONS whether it speaks tus 1.0; if not, it goes out like a PUT. With a place to go on, an attempt asks there how
/// much the server has and sends the rest.
struct UploadStateMachine: AttemptStateMachine {
    /// What to do, in order.
    enum Directive: AttemptDirective {
        case send(RequestHead)
        case cancelRequest
        /// From now on the upload may go on from here.
        case remember(ResumePoint)
        /// What the server had is lost: bytes start at 0 again.
        case startOver
        /// The body of the final answer follows.
        case keepAnswer(ResponseHead)
        case end(Ending)
    }

    /// How an attempt ends.
    enum Ending: AttemptEnding {
        /// With the server's word; its body may have been cut.
        case answered(status: Int, isCut: Bool)
        case failed(TransferFailure)
        case challenged([AuthenticationChallenge])
        case stopped

        /// The upload was taken, but the page about it could not be had.
        static let taken = Self.answered(status: 303, isCut: true)
    }

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

    /// The final answer.
    struct Body: Hashable, Sendable {
        var question: Question
        var status: Int
        var bytes = 0
        /// Whether we ended it ourselves.
        var isCut = false
    }

    /// So much of a final answer is read after what is kept, since that keeps the connection.
    static let largestDrained = 1 << 20

    let plan: UploadPlan
    var state = State.ready
    var authenticator: Authenticator
    /// Where an interrupted upload goes on; nil where there is no such place.
    var place: UploadPlace?
    /// Whether all bytes of the request under way have been given to the network. Set before each call.
    var isBodySent = true
    var hasStartedOver = false
    /// What the server has said that it takes.
    var limits = UploadLimits()
    /// Which bytes the request under way carries, or the one before; not all where the server takes only so many at once.
    var sending: Range<Int64> = 0..<0

    init(plan: UploadPlan) {
        self.plan = plan
        authenticator = Authenticator(plan.request.logins, url: plan.request.url)
        let isOurs = plan.isResumable && plan.resume?.modified == plan.source.modified
        if isOurs, let resume = plan.resume {
            place = UploadPlace(resource: resume, confirmed: max(0, min(plan.offset, plan.source.size)))
        }
    }

    /// Where the next attempt can go on.
    var resumePoint: ResumePoint? {
        place.map { ResumePoint(upload: $0.resource, offset: $0.confirmed, total: plan.source.size) }
    }

    var request: RequestPlan { plan.request }

    func url(of body: Body) -> String { body.question.url }

    mutating func begin() -> [Directive] {
        if let failure = request.unsupportedURL { return conclude(.end(.failed(failure))) }
        let isForgotten = plan.resume != nil && place == nil
        let directives: [Directive] = isForgotten ? [.startOver] : []
        if let question = place?.question(.offset, of: plan) { return directives + ask(question) }
        place = nil
        return directives + ask(plan.firstQuestion)
    }

    /// Begins to have the upload deleted at the server, in place of going on with it.
    mutating func beginRemoval() -> [Directive] {
        let question = place.flatMap {
            $0.question($0.resource.kind == .tus ? .termination : .removal, of: plan)
        }
        return question.map { ask($0) } ?? conclude(.end(.stopped))
    }

    mutating func received(_ count: Int, of body: Body) -> BytesDirective<Directive> {
        var answer = body
        let room = max(0, ServerAnswer.largestBody - answer.bytes)
        answer.bytes += count
        // An answer that is too long does not end an upload that still runs.
        let isTooLong = answer.bytes > ServerAnswer.largestBody + Self.largestDrained && isBodySent
        let begins = isTooLong && !answer.isCut
        answer.isCut = answer.isCut || isTooLong
        state = .receiving(answer)
        return begins ? .instead([.cancelRequest]) : .keep(min(room, count))
    }

    mutating func ended(_ body: Body, _ failure: TransferFailure?) -> [Directive] {
        if isFinal(body) {
            return conclude(.end(.answered(status: body.status, isCut: body.isCut || failure != nil)))
        }
        return conclude(.end(.failed(failure ?? malformed("ended the connection before it had the whole file."))))
    }

    mutating func interrupt(_ body: Body, _ ending: Ending) -> [Directive] {
        // The server has spoken: to ask again would be to upload again.
        abandon(then: .end(isFinal(body) ? .answered(status: body.status, isCut: true) : ending))
    }

    /// Whether the answer counts, however it goes on.
    ///
    /// A refusal needs no body, and what was sent whole and accepted is not sent again for half a page.
    private func isFinal(_ answer: Body) -> Bool { answer.status >= 300 || isBodySent }

    mutating func unanswered(_ question: Question, _ failure: TransferFailure) -> [Directive] {
        switch question.kind {
        case .result:
            // The upload itself was taken.
            return conclude(.end(.taken))
        case .discover where failure.cause == .connection || failure.cause == .malformedAnswer:
            // Some servers drop what they do not know. Where there is no server, the upload itself will tell.
            return ask(plan.wholeQuestion)
        case .whole, .discover, .create, .offset, .append, .termination, .removal:
            return conclude(.end(.failed(failure)))
        }
    }
}
