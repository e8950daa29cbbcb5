// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Several requests for pieces of one file at once: which are sent, and what follows what comes of each.
///
/// Does nothing itself. A connection that the server refuses, or breaks before it brought much, is not replaced: the
/// file goes on with those that work. The fault of the last one is the attempt's, unless another has brought something
/// since it was asked. A file that changed ends all of them.
struct SegmentedBody: Hashable, Sendable {
    typealias Question = DownloadStateMachine.Question

    /// What to do, in order.
    enum Step: Hashable, Sendable {
        /// Ask for the segment of that number.
        case send(Int, Question, Range<Int64>)
        /// Cancel the request of that segment; its end follows all the same.
        case cancel(Int)
        /// No request is under way any more.
        case over(Result)
    }

    /// How it ends.
    enum Result: Hashable, Sendable {
        /// Every byte is there.
        case complete
        /// The pieces do not belong together: fetch the whole anew.
        case startOver
        case conclude(DownloadStateMachine.Directive)

        static func end(_ ending: DownloadStateMachine.Ending) -> Self { .conclude(.end(ending)) }
    }

    /// What the head of an answer to a segment's request means.
    enum Verdict: Hashable, Sendable {
        /// Bytes of the segment up to there follow.
        case good(end: Int64)
        /// Ask this instead.
        case elsewhere(Question)
        /// What is there and what comes are not of one file.
        case changed
        /// This request brings nothing; the attempt's result where it was the last.
        case refused(Result)
    }

    /// What to do with bytes of a segment.
    enum BytesStep: Hashable, Sendable {
        /// Write as many as the place has, from the first, then do the steps.
        case write(Range<Int64>, then: [Step])
        /// They belong to nothing that is kept.
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
        /// What comes is not wanted; what follows its end.
        case discarding(bytes: Int64, then: Next)
    }

    private struct Lane: Hashable, Sendable {
        let id: Int
        var question: Question
        /// The bytes that were asked for, though another connection may have taken some of them since.
        var asked: Range<Int64>
        var phase = Phase.asking
        var received: Int64 = 0
        /// How many others had brought something when it was asked.
        var successesBefore: Int

        var isGood: Bool {
            if case .discarding(_, .fault) = phase { false } else { true }
        }
    }

    let file: ServerFile
    /// Where the file was found, redirects followed.
    let question: Question
    private(set) var plan: SegmentPlan
    /// How many requests there may be at once: goes down, never up.
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

    /// The question whose answer is awaited, and the range it asks for.
    func asked(_ id: Int) -> (question: Question, range: Range<Int64>)? {
        lanes.first { $0.id == id && $0.phase == .asking }.map { ($0.question, $0.asked) }
    }

    /// The bytes could not be written.
    mutating func lose(_ range: Range<Int64>) { plan.lose(range) }

    mutating func start() -> [Step] { fill() }

    /// The head of an answer came, and means that.
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

    /// Bytes came.
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
            // Another connection fetches the rest.
            return .write(place, then: cancel(index, then: .release))
        case .discarding(let bytes, let next):
            let sum = bytes + Int64(count)
            lanes[index].phase = .discarding(bytes: sum, then: next)
            let largest = DownloadStateMachine.largestDiscarded
            return .drop(bytes <= largest && sum > largest ? [.cancel(id)] : [])
        }
    }

    /// A request is over; `failure` says why it is not complete.
    mutating func ended(_ failure: TransferFailure?, by id: Int, short: (Int64) -> TransferFailure) -> [Step] {
        guard let index = index(id), let segment = plan.segment(id) else { return [] }
        let lane = lanes[index]
        switch lane.phase {
        case .asking:
            return fault(index, .end(.failed(failure ?? short(segment.next))), isReplaced: false)
        case .receiving(let end):
            if segment.left == 0 || failure == nil && segment.next == end { return close(index) }
            let failure = failure ?? short(segment.next)
            // One that brought something was good; a server that falls silent is not asked the same again.
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

    /// Gives one request up from outside, since nothing comes of it.
    mutating func giveUp(_ id: Int, _ failure: TransferFailure) -> [Step] {
        guard result == nil, let index = index(id) else { return [] }
        if case .discarding = lanes[index].phase { return [.cancel(id)] }
        return cancel(index, then: .fault(.end(.failed(failure)), isReplaced: false))
    }

    /// Ends all from outside: a stop, a deadline, a full disk.
    mutating func interrupt(_ ending: DownloadStateMachine.Ending) -> [Step] {
        switch result {
        case nil, .startOver: return conclude(.end(ending))
        // What was decided before stays.
        case .complete, .conclude: return lanes.map { .cancel($0.id) }
        }
    }

    private func index(_ id: Int) -> Int? { lanes.firstIndex { $0.id == id } }

    /// Sends what may be sent.
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

    /// A request failed: the others go on, and where there are none the attempt ends.
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

    /// Reads a body that is not wanted to its end where it is short, so that the connection can be used again.
    private mutating func discard(_ index: Int, _ isShort: Bool, then next: Next) -> [Step] {
        guard isShort else { return cancel(index, then: next) }
        lanes[index].phase = .discarding(bytes: 0, then: next)
        return []
    }
}
