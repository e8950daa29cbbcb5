// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

/// A model of a server with arbitrary behavior that checks the position of every byte.
private struct SegmentWorld {
    enum Event: CaseIterable {
        case goodHead, shorterHead, refused, rangeIgnored, redirected, bytes, end, cut, silence
    }

    private struct Request {
        var range: Range<Int64>
        var position: Int64?
        var end: Int64 = 0
        var isCancelled = false
    }

    var machine: DownloadStateMachine
    let total: Int64
    private var open: [Int: Request] = [:]
    /// The bytes written since the last restart.
    var written = ByteRanges()
    var restarts = 0
    var isFinished = false
    var ending: DownloadStateMachine.Ending?
    /// The detected faults: a byte that was written twice, or a byte that was not requested.
    var faults: [String] = []
    private var whole: (position: Int64, end: Int64)?

    init(total: Int64, connections: Int, extents: [Range<Int64>] = []) {
        self.total = total
        var plan = DownloadDialogue.plan(offset: extents.isEmpty ? 0 : 10, total: total, tag: "\"a\"")
        plan.connections = connections
        plan.extents = extents
        machine = DownloadStateMachine(plan: plan)
        if !extents.isEmpty { written = ByteRanges([0..<10] + extents) }
    }

    /// Performs the first small request and its response.
    mutating func begin() {
        perform(machine.begin())
        let start = machine.position
        let end = min(total, start + 10)
        perform(machine.received(Self.head(start..<end, total)))
        written.insert(start..<end)
        if case .keep = machine.received(bytes: Int(end - start)) {} else { faults.append("first bytes refused") }
        perform(machine.ended(nil))
    }

    static func head(_ range: Range<Int64>, _ total: Int64, tag: String = "\"a\"") -> ResponseHead {
        let field = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        return ResponseHead(
            status: 206,
            fields: [HeaderField(name: "Content-Range", value: field), HeaderField(name: "ETag", value: tag)])
    }

    var isEnded: Bool { isFinished || ending != nil || open.isEmpty }
    var ids: [Int] { open.keys.sorted() }

    mutating func perform(_ directives: [DownloadStateMachine.Directive]) {
        for directive in directives {
            switch directive {
            case .sendSegment(let id, let request):
                if open[id] != nil { faults.append("\(id) asked twice") }
                let ends = (request.value("Range") ?? "").dropFirst(6).split(separator: "-").compactMap { Int64($0) }
                open[id] = Request(range: ends[0]..<ends[1] + 1)
            case .cancelSegment(let id): open[id]?.isCancelled = true
            case .restart:
                restarts += 1
                written = ByteRanges()
            case .finish: isFinished = true
            case .end(let ending): self.ending = ending
            case .send, .cancelRequest, .receive: break
            }
        }
    }

    mutating func happen(_ event: Event, to id: Int, using random: inout SeededGenerator) {
        guard var request = open[id] else { return }
        if request.isCancelled { return end(id, TransferFailure(cause: .connection, message: "cancelled")) }
        guard let position = request.position else {
            switch event {
            case .shorterHead:
                request.end = .random(in: request.range.lowerBound + 1...request.range.upperBound, using: &random)
            case .refused:
                let status = [403, 429, 503].randomElement(using: &random) ?? 503
                return perform(machine.received(ResponseHead(status: status, fields: []), segment: id))
            case .rangeIgnored:
                let fields = [HeaderField(name: "ETag", value: "\"a\"")]
                return perform(machine.received(ResponseHead(status: 200, fields: fields), segment: id))
            case .redirected:
                let fields = [
                    HeaderField(name: "Location", value: "http://h/\(UInt64.random(in: 0...9, using: &random))")
                ]
                return perform(machine.received(ResponseHead(status: 302, fields: fields), segment: id))
            case .cut: return end(id, TransferFailure(cause: .connection, message: "refused"))
            case .silence:
                return perform(machine.giveUp(segment: id, TransferFailure(cause: .timeout, message: "silent")))
            case .end: return end(id, nil)
            case .goodHead, .bytes: request.end = request.range.upperBound
            }
            request.position = request.range.lowerBound
            open[id] = request
            return perform(machine.received(Self.head(request.range.lowerBound..<request.end, total), segment: id))
        }
        switch event {
        case .cut: end(id, TransferFailure(cause: .connection, message: "cut"))
        case .silence: perform(machine.giveUp(segment: id, TransferFailure(cause: .timeout, message: "silent")))
        case .goodHead, .shorterHead, .refused, .rangeIgnored, .redirected, .bytes, .end:
            let count = min(request.end - position, Int64.random(in: 1...400_000, using: &random))
            guard count > 0 else { return end(id, nil) }
            open[id]?.position = position + count
            let (range, then) = machine.received(bytes: Int(count), segment: id)
            if let range {
                let before = written.count
                written.insert(range)
                if range.lowerBound != position || range.upperBound > position + count
                    || written.count != before + Int64(range.count)
                {
                    faults.append("\(id) wrote \(range) at \(position)")
                }
            }
            perform(then)
        }
    }

    private mutating func end(_ id: Int, _ failure: TransferFailure?) {
        open[id] = nil
        perform(machine.ended(failure, segment: id))
    }
}

struct SegmentDialogueTests {
    private static let mebibyte: Int64 = 1 << 20

    /// Runs a model to its end.
    private func run(_ world: inout SegmentWorld, seed: UInt64, stopAfter: Int) {
        var random = SeededGenerator(seed: seed)
        world.begin()
        var steps = 0
        while !world.isEnded, steps < 50_000 {
            steps += 1
            if steps == stopAfter { world.perform(world.machine.interrupt(.stopped)) }
            let isOdd = Int.random(in: 0..<25, using: &random) == 0
            let event: SegmentWorld.Event =
                isOdd ? SegmentWorld.Event.allCases.randomElement(using: &random) ?? .bytes : .bytes
            guard let id = world.ids.randomElement(using: &random) else { return }
            world.happen(event, to: id, using: &random)
        }
    }

    @Test(
        "Whatever a server does, no byte arrives twice, and the present bytes are known",
        arguments: 0..<300 as Range<UInt64>)
    func hostile(seed: UInt64) {
        let total = 6 * Self.mebibyte + Int64(seed) * 98_765
        var world = SegmentWorld(total: total, connections: 2 + Int(seed) % 15)
        run(&world, seed: seed, stopAfter: seed % 5 == 0 ? 40 : .max)
        #expect(world.faults.isEmpty, "seed \(seed): \(world.faults)")
        #expect(world.machine.present == world.written, "seed \(seed)")
        #expect(world.isFinished == (world.written.ranges == [0..<total]) || world.restarts > 0, "seed \(seed)")
        #expect(world.isFinished || world.ending != nil || world.restarts > 0, "seed \(seed) hangs")
    }

    /// Returns a machine with two running requests, whose ranges are the two halves of the rest.
    private func two() -> DownloadStateMachine {
        var world = SegmentWorld(total: 10 + 8 * Self.mebibyte, connections: 2)
        world.begin()
        return world.machine
    }

    @Test("A refused connection is dropped, and the last refusal is the attempt's")
    func refused() {
        var talk = DownloadDialogue(DownloadDialogue.plan())
        talk.machine = two()
        let busy = ResponseHead(status: 503, fields: [HeaderField(name: "Content-Length", value: "0")])
        talk.record(talk.machine.received(busy, segment: 2))
        talk.record(talk.machine.ended(nil, segment: 2))
        #expect(talk.lines.isEmpty)
        talk.record(talk.machine.received(busy, segment: 1))
        talk.record(talk.machine.ended(nil, segment: 1))
        #expect(talk.lines == ["failed status keep"])
        #expect(talk.machine.present.ranges == [0..<10])
    }
}
