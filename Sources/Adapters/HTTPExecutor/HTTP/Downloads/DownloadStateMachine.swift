// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// The HTTP exchange of a download attempt.
///
/// A new download is a single request without a range, whose response tells the size, the version, and the range
/// support. Further requests for pieces of a large file join while it runs; see `SegmentedBody`.
///
/// A request that continues a file carries `If-Range`. If a response does not match exactly, or if the server refuses the
/// range, the file is requested without a range. The bytes of earlier responses are discarded only when the response
/// with the whole file is there.
struct DownloadStateMachine: AttemptStateMachine {
    /// An action for the attempt. Directives are performed in order.
    enum Directive: AttemptDirective {
        case send(RequestHead)
        case cancelRequest
        /// The running request downloads the segment with this number from now on.
        case adoptRequest(Int)
        /// Send a request for a segment while other requests may be running. `ended(_:segment:)` reports its end.
        case sendSegment(Int, RequestHead)
        /// Cancel the request of the segment. Its end still follows.
        case cancelSegment(Int)
        /// Truncate the partial file to 0 bytes because its bytes cannot be used.
        case restart(RestartCause)
        /// Prepare for bytes of the file, which follow at the current position.
        case receive(ServerFile)
        /// Verify the file and move it to its destination. All bytes are present.
        case finish(ServerFile)
        case end(Ending)
    }

    /// The end of an attempt that produces no complete file.
    enum Ending: AttemptEnding {
        /// The file of an earlier run still matches the server's file.
        case alreadyComplete(status: Int)
        /// The server's response is final and contains no file.
        case responded(status: Int)
        case challenged([AuthenticationChallenge])
        /// The attempt failed. `keepsBytes` indicates whether the bytes received so far are useful.
        case failed(TransferFailure, keepsBytes: Bool)
        case stopped

        static func failed(_ failure: TransferFailure) -> Self { .failed(failure, keepsBytes: true) }
    }

    enum Kind: Hashable, Sendable {
        /// The bytes from the position to the end or to the first bytes that are already present.
        case rest
        /// The whole file, without a range.
        case whole
    }

    enum Body: Hashable, Sendable {
        case part(Part)
        /// The file arrives in several concurrent pieces.
        case segments(SegmentedBody)
    }

    /// The file, or the part of the file that a single response contains.
    struct Part: Hashable, Sendable {
        var file: ServerFile
        /// The end offset of the part. `nil` if only the end of the response marks the end.
        var end: Int64?
        /// The request for the bytes after this part.
        var more: Request?
    }

    /// The file that a response must contain. A property is `nil` until its value is known.
    struct ExpectedFile: Hashable, Sendable {
        var file: ServerFile?
        var total: Int64?
        var version: Validator?
    }

    /// The server's use of ranges in this attempt.
    struct RangeSupport: Hashable, Sendable {
        /// The number of requests for the rest that ended without a response.
        var unanswered = 0
        /// A Boolean value that indicates whether the server has refused a piece of the file, or sent another piece than
        /// the requested one. The rest is then requested in one piece, so that every attempt ends.
        var refusesPieces = false
    }

    let plan: DownloadPlan
    var state = State.ready
    /// The offset of the next byte.
    var position: Int64
    /// The bytes of the partial file beyond `position`, in order. Not used while segments are downloaded.
    var extents: [Range<Int64>]
    /// The file to which the bytes belong. Every response must match this file.
    var expected = ExpectedFile()
    var authenticator: Authenticator
    /// The nonces of the requests for segments, by segment number.
    var segmentNonces: [Int: String] = [:]
    var ranges = RangeSupport()

    init(plan: DownloadPlan) {
        self.plan = plan
        authenticator = Authenticator(plan.request.logins, url: plan.request.url)
        let isProven = plan.validator?.ifRange != nil || plan.hasChecksum && plan.total != nil
        let canContinue = plan.offset > 0 && isProven && plan.body == nil
        // Bytes that adjoin or overlap are one piece, so that bytes are missing before each of the extents.
        let present = ByteRanges(canContinue ? [0..<plan.offset] + plan.extents : [])
        (position, extents) = (present.prefix, present.beyondPrefix)
        if canContinue { (expected.total, expected.version) = (plan.total, plan.validator) }
    }

    var request: RequestPlan { plan.request }
    var idleURL: String { expected.file?.url ?? plan.request.url }

    func url(of body: Body) -> String {
        switch body {
        case .part(let part): part.file.url
        case .segments(let body): body.attemptRequest.url
        }
    }

    mutating func begin() -> [Directive] {
        if let failure = request.unsupportedURL { return conclude(.end(.failed(failure))) }
        let directives: [Directive] = plan.offset > 0 && position == 0 ? [.restart(.notResumable)] : []
        return directives + send(request.attemptRequest(position > 0 || !extents.isEmpty ? .rest : .whole))
    }

    mutating func received(_ count: Int, of body: Body) -> BytesDirective<Directive> {
        // Each segment counts its own bytes.
        guard case .part(let part) = body else { return .drop }
        let end = position + Int64(count)
        if let limit = plan.maximumBytes, end > limit { return .instead(refuse(.tooLarge(limit, from: host))) }
        if let expected = part.end, end > expected { return .instead(refuse(.tooManyBytes(from: host))) }
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
        return send(more)
    }

    mutating func failedWithoutResponse(_ attemptRequest: Request, _ failure: TransferFailure) -> [Directive] {
        // Some servers close the connection of a request with a range. A connection that was lost by chance must not
        // cost the bytes received so far, so only the second one counts.
        guard attemptRequest.kind == .rest, failure.cause == .connection, ranges.unanswered < 2 else {
            return conclude(.end(.failed(failure)))
        }
        ranges.unanswered += 1
        var next = attemptRequest
        if ranges.unanswered == 2 { next.kind = .whole }
        return send(next)
    }

    mutating func interrupt(_ body: Body, _ ending: Ending) -> [Directive] {
        guard case .segments(var body) = body else { return abandon(then: .end(ending)) }
        let steps = body.interrupt(ending)
        state = .receiving(.segments(body))
        return directives(steps)
    }

    /// Ends the attempt without keeping any bytes.
    mutating func refuse(_ failure: TransferFailure) -> [Directive] {
        abandon(then: .end(.failed(failure, keepsBytes: false)))
    }
}

extension TransferFailure {
    static func endedEarly(at position: Int64, of total: Int64, from host: String) -> TransferFailure {
        let message = "\(host) closed the connection after \(position) of \(total) bytes."
        return TransferFailure(cause: .connection, message: message)
    }

    static func tooManyBytes(from host: String) -> TransferFailure {
        TransferFailure(cause: .malformedResponse, message: "\(host) sent more bytes than it announced.")
    }

    static func tooLarge(_ limit: Int64, from host: String) -> TransferFailure {
        TransferFailure(cause: .tooLarge, message: "The file from \(host) exceeds the limit of \(limit) bytes.")
    }
}
