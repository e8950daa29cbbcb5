// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The HTTP exchange of an upload attempt.
///
/// A PUT is sent immediately, with the fields of draft-ietf-httpbis-resumable-upload (interop version 8). A server that
/// supports the draft names the upload URL in an interim response, 104. Before a POST, an OPTIONS request asks whether
/// the server supports tus 1.0. If not, the POST is sent like a PUT.
///
/// If an upload URL is known, the attempt asks the server for the offset and sends the remaining bytes.
struct UploadStateMachine: AttemptStateMachine {
    /// An action for the attempt. Directives are performed in order.
    enum Directive: AttemptDirective {
        case send(RequestHead)
        case cancelRequest
        /// Record the point at which the upload can continue.
        case remember(ResumePoint)
        /// Restart the count of bytes at 0. The server has lost the earlier bytes.
        case restart
        /// Keep the body of the final response, which follows.
        case keepResponse(ResponseHead)
        case end(Ending)
    }

    /// The end of an attempt.
    enum Ending: AttemptEnding {
        /// The server has responded. `isCut` indicates whether the body of the response was cut off.
        case responded(status: Int, isCut: Bool)
        case failed(TransferFailure)
        case challenged([AuthenticationChallenge])
        case stopped

        /// The server accepted the upload, but its result page could not be fetched.
        static let accepted = Self.responded(status: 303, isCut: true)
    }

    enum Kind: Hashable, Sendable {
        /// Upload the file in a single request.
        case whole
        /// Fetch the page to which the server redirects after an upload.
        case result
        /// Ask whether the server supports tus.
        case discover
        /// Create an upload URL for tus.
        case create
        /// Ask for the number of bytes that the server has.
        case offset
        /// Send the missing bytes.
        case append
        /// Ask whether the server supports the deletion of tus uploads.
        case termination
        /// Delete the upload at the server.
        case removal
    }

    /// The final response.
    struct Body: Hashable, Sendable {
        var attemptRequest: Request
        var status: Int
        var bytes = 0
        /// A Boolean value that indicates whether this process cut the response off.
        var isCut = false
    }

    /// The number of bytes of a final response that are read beyond the kept bytes. Reading them keeps the connection.
    static let maximumExcessBytes = 1 << 20

    let plan: UploadPlan
    var state = State.ready
    var authenticator: Authenticator
    /// The upload URL at which an interrupted upload continues, or `nil` if there is none.
    var uploadLocation: UploadLocation?
    /// A Boolean value that indicates whether all bytes of the running request have been given to the network. Must
    /// be set before each call.
    var isBodySent = true
    var hasRestarted = false
    /// The limits that the server has announced.
    var limits = UploadLimits()
    /// The bytes that the running or the latest request carries. Shorter than the file if the server limits the size
    /// of a request.
    var sending: Range<Int64> = 0..<0

    init(plan: UploadPlan) {
        self.plan = plan
        authenticator = Authenticator(plan.request.logins, url: plan.request.url)
        let isOurs = plan.isResumable && plan.resume?.modified == plan.source.modified
        if isOurs, let resume = plan.resume {
            uploadLocation = UploadLocation(resource: resume, confirmed: max(0, min(plan.offset, plan.source.size)))
        }
    }

    /// The point at which the next attempt can continue.
    var resumePoint: ResumePoint? {
        uploadLocation.map { ResumePoint(upload: $0.resource, offset: $0.confirmed, total: plan.source.size) }
    }

    var request: RequestPlan { plan.request }

    func url(of body: Body) -> String { body.attemptRequest.url }

    mutating func begin() -> [Directive] {
        if let failure = request.unsupportedURL { return conclude(.end(.failed(failure))) }
        let isForgotten = plan.resume != nil && uploadLocation == nil
        let directives: [Directive] = isForgotten ? [.restart] : []
        if let attemptRequest = uploadLocation?.attemptRequest(.offset, of: plan) {
            return directives + send(attemptRequest)
        }
        uploadLocation = nil
        return directives + send(plan.initialRequest)
    }

    /// Begins the deletion of the upload at the server instead of continuing the upload.
    mutating func beginRemoval() -> [Directive] {
        let attemptRequest = uploadLocation.flatMap {
            $0.attemptRequest($0.resource.kind == .tus ? .termination : .removal, of: plan)
        }
        return attemptRequest.map { send($0) } ?? conclude(.end(.stopped))
    }

    mutating func received(_ count: Int, of body: Body) -> BytesDirective<Directive> {
        var response = body
        let room = max(0, UploadResponse.largestBody - response.bytes)
        response.bytes += count
        // A response that is too long does not end a running upload.
        let isTooLong = response.bytes > UploadResponse.largestBody + Self.maximumExcessBytes && isBodySent
        let begins = isTooLong && !response.isCut
        response.isCut = response.isCut || isTooLong
        state = .receiving(response)
        return begins ? .instead([.cancelRequest]) : .keep(min(room, count))
    }

    mutating func ended(_ body: Body, _ failure: TransferFailure?) -> [Directive] {
        if isFinal(body) {
            return conclude(.end(.responded(status: body.status, isCut: body.isCut || failure != nil)))
        }
        return conclude(.end(.failed(failure ?? malformed("closed the connection before it received the whole file."))))
    }

    mutating func interrupt(_ body: Body, _ ending: Ending) -> [Directive] {
        // The server has responded, and another request would upload the file again.
        abandon(then: .end(isFinal(body) ? .responded(status: body.status, isCut: true) : ending))
    }

    /// Returns whether the response counts even if the rest of its body is lost.
    ///
    /// A refusal needs no body. A file that was sent completely and accepted is not sent again because of a truncated
    /// page.
    private func isFinal(_ response: Body) -> Bool { response.status >= 300 || isBodySent }

    mutating func failedWithoutResponse(_ attemptRequest: Request, _ failure: TransferFailure) -> [Directive] {
        switch attemptRequest.kind {
        case .result:
            // The server has accepted the upload itself.
            return conclude(.end(.accepted))
        case .discover where failure.cause == .connection || failure.cause == .malformedResponse:
            // Some servers drop requests with unknown methods. If there is no server, the upload request fails.
            return send(plan.wholeFileRequest)
        case .whole, .discover, .create, .offset, .append, .termination, .removal:
            return conclude(.end(.failed(failure)))
        }
    }
}

/// The requests of an upload.
extension UploadStateMachine {
    mutating func send(_ attemptRequest: Request) -> [Directive] {
        state = .awaitingHead(attemptRequest)
        let start = attemptRequest.kind == .append ? uploadLocation?.confirmed ?? 0 : 0
        // A single plain request is not divided, because no response states where to continue.
        let most = plan.isResumable ? limits.maximumAppend ?? .max : .max
        sending = start..<start + min(most, plan.source.size - start)
        var head = plan.head(of: attemptRequest, sending: sending, at: uploadLocation?.resource.kind)
        head.fields = authenticator.adding(to: head.fields, url: attemptRequest.url, method: head.method)
        return [.send(head)]
    }
}
