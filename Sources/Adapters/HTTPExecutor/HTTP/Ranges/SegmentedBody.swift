// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Coordinates several concurrent requests for pieces of a file.
///
/// The body only decides and performs no input or output. It begins with the response that found the file. If the server
/// refuses a connection, breaks it early, or has another version of the file for it, the connection is not replaced. The
/// download continues on the working connections. A response with more bytes than its segment goes on with the bytes
/// after it that no other connection downloads.
///
/// The failure of the last connection ends the attempt, unless another connection has delivered bytes since that
/// request was sent.
struct SegmentedBody: Hashable, Sendable {
    typealias Request = DownloadStateMachine.Request

    /// An action for the attempt. Steps are performed in order.
    enum Step: Hashable, Sendable {
        /// Send a request for the segment with this number.
        case send(Int, Request, Range<Int64>)
        /// Cancel the request of the segment. Its end still follows.
        case cancel(Int)
        /// End the segmented part of the download. No request is running.
        case ended(Result)
    }

    /// The result of the segmented part of a download.
    enum Result: Hashable, Sendable {
        /// Every byte is present.
        case complete
        /// The pieces belong to different files. The whole file must be downloaded again.
        case restart
        case conclude(DownloadStateMachine.Directive)

        static func end(_ ending: DownloadStateMachine.Ending) -> Self { .conclude(.end(ending)) }
    }

    /// The meaning of the head of a response to a segment's request.
    enum Verdict: Hashable, Sendable {
        /// Bytes of the segment follow, up to this offset.
        case good(end: Int64)
        /// This request must be sent instead.
        case elsewhere(Request)
        /// The request delivers nothing. The result becomes the attempt's result if this was the last request.
        case refused(Result)
    }

    /// The use of bytes of a segment.
    enum BytesStep: Hashable, Sendable {
        /// Write the first bytes to the range, then perform the steps.
        case write(Range<Int64>, then: [Step])
        /// Drop the bytes and perform the steps. The bytes belong to nothing that is kept.
        case drop([Step])
    }

    private enum Next: Hashable, Sendable {
        case send(Request)
        case release
        case fault(Result, isReplaced: Bool)
    }

    private enum Phase: Hashable, Sendable {
        case awaitingHead
        case receiving(end: Int64)
        /// The rest of the response is not needed. `then` follows its end.
        case discarding(bytes: Int64, then: Next)
    }

    private struct ActiveRequest: Hashable, Sendable {
        let id: Int
        var attemptRequest: Request
        /// The requested bytes. Some of these bytes may have been reassigned to another connection since then.
        var requested: Range<Int64>
        var phase = Phase.awaitingHead
        var received: Int64 = 0
        /// The number of other connections that had delivered bytes when this request was sent.
        var successesBefore: Int

        var isGood: Bool {
            if case .discarding(_, .fault) = phase { false } else { true }
        }
    }

    let file: ServerFile
    /// The request that found the file, after redirects.
    let attemptRequest: Request
    private(set) var plan: SegmentPlan
    /// The maximum number of concurrent requests. Never increases.
    private(set) var limit: Int
    private var activeRequests: [ActiveRequest] = []
    private var result: Result?
    private var successes = 0

    init(file: ServerFile, attemptRequest: Request, plan: SegmentPlan, connections: Int) {
        self.file = file
        self.attemptRequest = attemptRequest
        self.plan = plan
        limit = max(1, connections)
    }

    /// Returns the request that awaits a response, and the requested range.
    func requested(_ id: Int) -> (attemptRequest: Request, range: Range<Int64>)? {
        activeRequests.first { $0.id == id && $0.phase == .awaitingHead }.map { ($0.attemptRequest, $0.requested) }
    }

    /// Removes bytes that could not be written.
    mutating func lose(_ range: Range<Int64>) { plan.lose(range) }

    /// Assigns a segment to the response that found the file, and requests other segments.
    ///
    /// - Parameter end: The end offset of the response.
    /// - Returns: The number of the response's segment, and the steps.
    mutating func start(receivingTo end: Int64) -> (id: Int, steps: [Step]) {
        guard let segment = plan.adopt(receivingTo: end, connections: limit) else {
            preconditionFailure("a complete file is divided")
        }
        activeRequests.append(
            ActiveRequest(
                id: segment.id, attemptRequest: attemptRequest, requested: segment.next..<end,
                phase: .receiving(end: end), successesBefore: 0))
        return (segment.id, fill())
    }

    /// Handles the head of a response with the given meaning.
    mutating func received(_ verdict: Verdict, isShort: Bool, by id: Int) -> [Step] {
        guard result == nil, let index = index(id), activeRequests[index].phase == .awaitingHead else { return [] }
        switch verdict {
        case .good(let end):
            activeRequests[index].phase = .receiving(end: end)
            return []
        case .elsewhere(let attemptRequest): return discard(index, isShort, then: .send(attemptRequest))
        case .refused(let result): return discard(index, isShort, then: .fault(result, isReplaced: false))
        }
    }

    /// Handles bytes of a response.
    mutating func received(bytes count: Int, by id: Int, tooMany: @autoclosure () -> TransferFailure) -> BytesStep {
        guard let index = index(id) else { return .drop([]) }
        switch activeRequests[index].phase {
        case .awaitingHead:
            return .drop([])
        case .receiving(let end):
            guard let segment = plan.segment(id), segment.next + Int64(count) <= end else {
                return .drop(conclude(.end(.failed(tooMany(), keepsBytes: false))))
            }
            if segment.next + Int64(count) >= segment.end, end > segment.end { plan.extend(id, to: end) }
            guard let range = plan.write(Int64(count), to: id) else { return .drop([]) }
            activeRequests[index].received += Int64(range.count)
            guard plan.segment(id)?.left == 0, end > range.upperBound else { return .write(range, then: []) }
            // Another connection downloads the rest.
            return .write(range, then: cancel(index, then: .release))
        case .discarding(let bytes, let next):
            let sum = bytes + Int64(count)
            activeRequests[index].phase = .discarding(bytes: sum, then: next)
            let largest = DownloadStateMachine.largestDiscarded
            return .drop(bytes <= largest && sum > largest ? [.cancel(id)] : [])
        }
    }

    /// Handles the end of a request. `failure` is the reason why the response is incomplete.
    mutating func ended(_ failure: TransferFailure?, by id: Int, short: (Int64) -> TransferFailure) -> [Step] {
        guard let index = index(id), let segment = plan.segment(id) else { return [] }
        let activeRequest = activeRequests[index]
        switch activeRequest.phase {
        case .awaitingHead:
            return fault(index, .end(.failed(failure ?? short(segment.next))), isReplaced: false)
        case .receiving(let end):
            if segment.left == 0 || failure == nil && segment.next == end { return close(index) }
            let failure = failure ?? short(segment.next)
            // A connection that delivered enough bytes is replaced. A server that fell silent receives no further
            // request.
            let isReplaced = activeRequest.received >= SegmentPlan.smallest && failure.cause != .timeout
            return fault(
                index, .end(.failed(failure, keepsBytes: failure.cause != .encodedBody)), isReplaced: isReplaced)
        case .discarding(_, .send(let attemptRequest)):
            guard result == nil else { return close(index) }
            activeRequests[index].attemptRequest = attemptRequest
            activeRequests[index].phase = .awaitingHead
            activeRequests[index].requested = segment.next..<segment.end
            return [.send(id, attemptRequest, activeRequests[index].requested)]
        case .discarding(_, .release):
            return close(index)
        case .discarding(_, .fault(let result, let isReplaced)):
            return fault(index, result, isReplaced: isReplaced)
        }
    }

    /// Abandons a request because it makes no progress.
    mutating func giveUp(_ id: Int, _ failure: TransferFailure) -> [Step] {
        guard result == nil, let index = index(id) else { return [] }
        if case .discarding = activeRequests[index].phase { return [.cancel(id)] }
        return cancel(index, then: .fault(.end(.failed(failure)), isReplaced: false))
    }

    /// Ends all requests for an outside reason: a stop, a deadline, or a full disk.
    mutating func interrupt(_ ending: DownloadStateMachine.Ending) -> [Step] {
        switch result {
        case nil, .restart: return conclude(.end(ending))
        // An earlier decision remains in effect.
        case .complete, .conclude: return activeRequests.map { .cancel($0.id) }
        }
    }

    private func index(_ id: Int) -> Int? { activeRequests.firstIndex { $0.id == id } }

    /// Starts requests up to the limit.
    private mutating func fill() -> [Step] {
        guard result == nil else { return activeRequests.isEmpty ? [.ended(result ?? .complete)] : [] }
        var steps: [Step] = []
        while activeRequests.count < limit, let segment = plan.assignSegment(connections: limit - activeRequests.count)
        {
            let range = segment.next..<segment.end
            activeRequests.append(
                ActiveRequest(
                    id: segment.id, attemptRequest: attemptRequest, requested: range, successesBefore: successes))
            steps.append(.send(segment.id, attemptRequest, range))
        }
        if activeRequests.isEmpty { steps.append(.ended(.complete)) }
        return steps
    }

    private mutating func close(_ index: Int) -> [Step] {
        if activeRequests[index].received > 0 { successes += 1 }
        plan.release(activeRequests[index].id)
        activeRequests.remove(at: index)
        return fill()
    }

    /// Handles a failed request. The other requests continue; if there are none, the attempt ends.
    private mutating func fault(_ index: Int, _ result: Result, isReplaced: Bool) -> [Step] {
        let hasBeenWorking = successes > activeRequests[index].successesBefore
        plan.release(activeRequests[index].id)
        activeRequests.remove(at: index)
        let others = activeRequests.count(where: \.isGood)
        if self.result == nil {
            if others == 0, !hasBeenWorking, !plan.isComplete { return conclude(result) }
            if !isReplaced { limit = max(1, others) }
        }
        return fill()
    }

    private mutating func conclude(_ result: Result) -> [Step] {
        self.result = result
        let steps = activeRequests.indices.flatMap { cancel($0, then: .release) }
        return activeRequests.isEmpty ? [.ended(result)] : steps
    }

    private mutating func cancel(_ index: Int, then next: Next) -> [Step] {
        activeRequests[index].phase = .discarding(bytes: DownloadStateMachine.largestDiscarded + 1, then: next)
        return [.cancel(activeRequests[index].id)]
    }

    /// Reads an unneeded body to its end if the body is short, so that the connection can be reused.
    private mutating func discard(_ index: Int, _ isShort: Bool, then next: Next) -> [Step] {
        guard isShort else { return cancel(index, then: next) }
        activeRequests[index].phase = .discarding(bytes: 0, then: next)
        return []
    }
}
