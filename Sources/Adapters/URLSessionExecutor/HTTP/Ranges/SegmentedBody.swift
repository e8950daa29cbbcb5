// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Coordinates several concurrent requests for pieces of a file.
///
/// The body only decides and performs no input or output. If the server refuses a connection, or breaks it early, the
/// connection is not replaced. The download continues on the working connections.
///
/// The failure of the last connection ends the attempt, unless another connection has delivered bytes since that
/// request was sent. A changed file ends all connections.
struct SegmentedBody: Hashable, Sendable {
    typealias Question = DownloadStateMachine.Question

    /// An action for the attempt. Steps are performed in order.
    enum Step: Hashable, Sendable {
        /// Send a request for the segment with this number.
        case send(Int, Question, Range<Int64>)
        /// Cancel the request of the segment. Its end still follows.
        case cancel(Int)
        /// End the segmented part of the download. No request is running.
        case over(Result)
    }

    /// The result of the segmented part of a download.
    enum Result: Hashable, Sendable {
        /// Every byte is present.
        case complete
        /// The pieces belong to different files. The whole file must be downloaded again.
        case startOver
        case conclude(DownloadStateMachine.Directive)

        static func end(_ ending: DownloadStateMachine.Ending) -> Self { .conclude(.end(ending)) }
    }

    /// The meaning of the head of an answer to a segment's request.
    enum Verdict: Hashable, Sendable {
        /// Bytes of the segment follow, up to this offset.
        case good(end: Int64)
        /// This question must be sent instead.
        case elsewhere(Question)
        /// The present bytes and the answer belong to different files.
        case changed
        /// The request delivers nothing. The result becomes the attempt's result if this was the last request.
        case refused(Result)
    }

    /// The use of bytes of a segment.
    enum BytesStep: Hashable, Sendable {
        /// Write the first bytes to fill the place, then perform the steps.
        case write(Range<Int64>, then: [Step])
        /// Drop the bytes and perform the steps. The bytes belong to nothing that is kept.
        case drop([Step])
    }

    private enum Next: Hashable, Sendable {
        case ask(Question)
        case release
        case fault(Result, isReplaced: Bool)
    }

    private enum Phase: Hashable, Sendable {
        case asking
        case receiving(end: Int64)
        /// The rest of the answer is not needed. `then` follows its end.
        case discarding(bytes: Int64, then: Next)
    }

    private struct Lane: Hashable, Sendable {
        let id: Int
        var question: Question
        /// The requested bytes. Another connection may have taken some of them since then.
        var asked: Range<Int64>
        var phase = Phase.asking
        var received: Int64 = 0
        /// The number of other connections that had delivered bytes when this request was sent.
        var successesBefore: Int

        var isGood: Bool {
            if case .discarding(_, .fault) = phase { false } else { true }
        }
    }

    let file: ServerFile
    /// The question that found the file, after redirects.
    let question: Question
    private(set) var plan: SegmentPlan
    /// The maximum number of concurrent requests. Never increases.
    private(set) var limit: Int
    private var lanes: [Lane] = []
    private var result: Result?
    private var successes = 0

    init(file: ServerFile, question: Question, plan: SegmentPlan, connections: Int) {
        self.file = file
        self.question = question
        self.plan = plan
        limit = max(1, connections)
    }

    /// Returns the question that awaits an answer, and the requested range.
    func asked(_ id: Int) -> (question: Question, range: Range<Int64>)? {
        lanes.first { $0.id == id && $0.phase == .asking }.map { ($0.question, $0.asked) }
    }

    /// Removes bytes that could not be written.
    mutating func lose(_ range: Range<Int64>) { plan.lose(range) }

    mutating func start() -> [Step] { fill() }

    /// Handles the head of an answer with the given meaning.
    mutating func received(_ verdict: Verdict, isShort: Bool, by id: Int) -> [Step] {
        guard result == nil, let index = index(id), lanes[index].phase == .asking else { return [] }
        switch verdict {
        case .good(let end):
            lanes[index].phase = .receiving(end: end)
            return []
        case .elsewhere(let question): return discard(index, isShort, then: .ask(question))
        case .changed: return conclude(.startOver)
        case .refused(let result): return discard(index, isShort, then: .fault(result, isReplaced: false))
        }
    }

    /// Handles bytes of an answer.
    mutating func received(bytes count: Int, by id: Int, tooMany: @autoclosure () -> TransferFailure) -> BytesStep {
        guard let index = index(id) else { return .drop([]) }
        switch lanes[index].phase {
        case .asking:
            return .drop([])
        case .receiving(let end):
            guard let segment = plan.segment(id), segment.next + Int64(count) <= end else {
                return .drop(conclude(.end(.failed(tooMany(), keepsBytes: false))))
            }
            guard let place = plan.write(Int64(count), to: id) else { return .drop([]) }
            lanes[index].received += Int64(place.count)
            guard place.upperBound == segment.end, end > segment.end else { return .write(place, then: []) }
            // Another connection downloads the rest.
            return .write(place, then: cancel(index, then: .release))
        case .discarding(let bytes, let next):
            let sum = bytes + Int64(count)
            lanes[index].phase = .discarding(bytes: sum, then: next)
            let largest = DownloadStateMachine.largestDiscarded
            return .drop(bytes <= largest && sum > largest ? [.cancel(id)] : [])
        }
    }

    /// Handles the end of a request. `failure` tells why the answer is incomplete.
    mutating func ended(_ failure: TransferFailure?, by id: Int, short: (Int64) -> TransferFailure) -> [Step] {
        guard let index = index(id), let segment = plan.segment(id) else { return [] }
        let lane = lanes[index]
        switch lane.phase {
        case .asking:
            return fault(index, .end(.failed(failure ?? short(segment.next))), isReplaced: false)
        case .receiving(let end):
            if segment.left == 0 || failure == nil && segment.next == end { return close(index) }
            let failure = failure ?? short(segment.next)
            // A connection that delivered enough bytes is replaced. A server that fell silent is not asked again.
            let isReplaced = lane.received >= SegmentPlan.smallest && failure.cause != .timeout
            return fault(
                index, .end(.failed(failure, keepsBytes: failure.cause != .encodedBody)), isReplaced: isReplaced)
        case .discarding(_, .ask(let question)):
            guard result == nil else { return close(index) }
            lanes[index].question = question
            lanes[index].phase = .asking
            lanes[index].asked = segment.next..<segment.end
            return [.send(id, question, lanes[index].asked)]
        case .discarding(_, .release):
            return close(index)
        case .discarding(_, .fault(let result, let isReplaced)):
            return fault(index, result, isReplaced: isReplaced)
        }
    }

    /// Abandons a request because it makes no progress.
    mutating func giveUp(_ id: Int, _ failure: TransferFailure) -> [Step] {
        guard result == nil, let index = index(id) else { return [] }
        if case .discarding = lanes[index].phase { return [.cancel(id)] }
        return cancel(index, then: .fault(.end(.failed(failure)), isReplaced: false))
    }

    /// Ends all requests for an outside reason: a stop, a deadline, or a full disk.
    mutating func interrupt(_ ending: DownloadStateMachine.Ending) -> [Step] {
        switch result {
        case nil, .startOver: return conclude(.end(ending))
        // An earlier decision remains in effect.
        case .complete, .conclude: return lanes.map { .cancel($0.id) }
        }
    }

    private func index(_ id: Int) -> Int? { lanes.firstIndex { $0.id == id } }

    /// Starts requests up to the limit.
    private mutating func fill() -> [Step] {
        guard result == nil else { return lanes.isEmpty ? [.over(result ?? .complete)] : [] }
        var steps: [Step] = []
        while lanes.count < limit, let segment = plan.take(connections: limit - lanes.count) {
            let range = segment.next..<segment.end
            lanes.append(Lane(id: segment.id, question: question, asked: range, successesBefore: successes))
            steps.append(.send(segment.id, question, range))
        }
        if lanes.isEmpty { steps.append(.over(.complete)) }
        return steps
    }

    private mutating func close(_ index: Int) -> [Step] {
        if lanes[index].received > 0 { successes += 1 }
        plan.release(lanes[index].id)
        lanes.remove(at: index)
        return fill()
    }

    /// Handles a failed request. The other requests continue; if there are none, the attempt ends.
    private mutating func fault(_ index: Int, _ result: Result, isReplaced: Bool) -> [Step] {
        let hasBeenWorking = successes > lanes[index].successesBefore
        plan.release(lanes[index].id)
        lanes.remove(at: index)
        let others = lanes.count(where: \.isGood)
        if self.result == nil {
            if others == 0, !hasBeenWorking, !plan.isComplete { return conclude(result) }
            if !isReplaced { limit = max(1, others) }
        }
        return fill()
    }

    private mutating func conclude(_ result: Result) -> [Step] {
        self.result = result
        let steps = lanes.indices.flatMap { cancel($0, then: .release) }
        return lanes.isEmpty ? [.over(result)] : steps
    }

    private mutating func cancel(_ index: Int, then next: Next) -> [Step] {
        lanes[index].phase = .discarding(bytes: DownloadStateMachine.largestDiscarded + 1, then: next)
        return [.cancel(lanes[index].id)]
    }

    /// Reads an unneeded body to its end if the body is short, so that the connection can be reused.
    private mutating func discard(_ index: Int, _ isShort: Bool, then next: Next) -> [Step] {
        guard isShort else { return cancel(index, then: next) }
        lanes[index].phase = .discarding(bytes: 0, then: next)
        return []
    }
}
