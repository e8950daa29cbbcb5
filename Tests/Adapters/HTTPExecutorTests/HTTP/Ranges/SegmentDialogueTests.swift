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
    /// The number of requests that took the place of all segments.
    var restarts = 0
    var isFinished = false
    var ending: DownloadStateMachine.Ending?
    /// The detected faults: a byte that was written twice, or a byte that was not requested.
    var faults: [String] = []

    init(total: Int64, connections: Int, extents: [Range<Int64>] = []) {
        self.total = total
        var plan = DownloadDialogue.plan(offset: extents.isEmpty ? 0 : 10, total: total, tag: "\"a\"")
        plan.connections = connections
        plan.extents = extents
        machine = DownloadStateMachine(plan: plan)
        if !extents.isEmpty { written = ByteRanges([0..<10] + extents) }
    }

    /// Performs the first request, whose response is the file or the bytes before the first hole.
    mutating func begin() {
        perform(machine.begin())
        if let hole = machine.extents.first {
            perform(machine.received(Self.head(machine.position..<hole.lowerBound, total)))
        } else {
            let fields = [("Content-Length", String(total)), ("Accept-Ranges", "bytes"), ("ETag", "\"a\"")]
            perform(
                machine.received(ResponseHead(status: 200, fields: fields.map { HeaderField(name: $0, value: $1) })))
        }
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
            case .adoptRequest(let id):
                let start = machine.position
                let end = machine.extents.first?.lowerBound ?? total
                open[id] = Request(range: start..<end, position: start, end: end)
            case .sendSegment(let id, let request):
                if open[id] != nil { faults.append("\(id) asked twice") }
                let ends = (request.value("Range") ?? "").dropFirst(6).split(separator: "-").compactMap { Int64($0) }
                open[id] = Request(range: ends[0]..<ends[1] + 1)
            case .cancelSegment(let id): open[id]?.isCancelled = true
            case .send(let request): restarts += request.value("Range") == nil || !open.isEmpty ? 1 : 0
            case .finish: isFinished = true
            case .end(let ending): self.ending = ending
            case .restart, .cancelRequest, .receive: break
            }
        }
    }

    mutating func happen(_ event: Event, to id: Int, using random: inout SplitMix64) {
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
        var random = SplitMix64(seed: seed)
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

    /// Returns a dialogue with two running requests: the one that found the file, and one for its second half.
    private func two() -> DownloadDialogue {
        var plan = DownloadDialogue.plan()
        plan.connections = 2
        var talk = DownloadDialogue(plan)
        talk.start()
        talk.head(200, ["Content-Length": "\(8 * Self.mebibyte)", "Accept-Ranges": "bytes", "ETag": "\"a\""])
        #expect(talk.lines == ["ask", "adopt 1", "receive 8388608", "ask 2 bytes=4194304-8388607"])
        talk.lines = []
        return talk
    }

    @Test(
        "D0: a server that refuses a segment costs the segment, and the first response brings the whole file",
        arguments: [400, 401, 403, 404, 410, 416, 429, 501, 503, 200, 206, 302, 0])
    func refused(status: Int) {
        var talk = two()
        if status > 0 {
            let fields = ["Content-Length": "0", "Location": status == 302 ? "ftp://h/" : nil].compactMapValues(\.self)
            let head = ResponseHead(status: status, fields: fields.map { HeaderField(name: $0.key, value: $0.value) })
            talk.record(talk.machine.received(head, segment: 2))
        }
        let failure = status > 0 ? nil : TransferFailure(cause: .connection, message: "closed")
        talk.record(talk.machine.ended(failure, segment: 2))
        #expect(talk.lines.isEmpty)
        for mebibyte in 0..<8 {
            let (range, then) = talk.machine.received(bytes: Int(Self.mebibyte), segment: 1)
            #expect(range?.lowerBound == Int64(mebibyte) * Self.mebibyte && range?.count == Int(Self.mebibyte))
            talk.record(then)
        }
        talk.record(talk.machine.ended(nil, segment: 1))
        #expect(talk.lines == ["finish"])
    }

    @Test("D9: a refusal after all other connections have ended asks the URL of the transfer once")
    func lastRefusal() {
        var talk = two()
        _ = talk.machine.received(bytes: Int(Self.mebibyte), segment: 1)
        talk.record(talk.machine.ended(TransferFailure(cause: .timeout, message: ""), segment: 1))
        talk.lines = []
        talk.record(talk.machine.received(ResponseHead(status: 403, fields: []), segment: 2))
        talk.record(talk.machine.ended(nil, segment: 2))
        #expect(talk.lines == ["ask bytes=1048576- if \"a\""])
        talk.head(403)
        talk.end()
        #expect(talk.lines.last == "ask")
        #expect(talk.machine.present.ranges == [0..<Self.mebibyte])
    }

    @Test("D0: segments are requested only if the response says that the server accepts ranges, and what the file is")
    func undivided() {
        let all = ["Content-Length": "\(8 * Self.mebibyte)", "Accept-Ranges": "bytes", "ETag": "\"a\""]
        for missing in all.keys {
            var plan = DownloadDialogue.plan()
            plan.connections = 2
            var talk = DownloadDialogue(plan)
            talk.start()
            talk.head(200, all.filter { $0.key != missing })
            #expect(talk.lines.count == 2 && talk.lines.last?.hasPrefix("receive") == true)
        }
    }
}
