// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import TransferFiles
@testable import WorkerExecutor

@Suite("Messages between a program and its worker")
struct WireFormatTests {
    private static let resume = ResumePoint(
        path: "/tmp/1.part", offset: 1 << 40, total: nil, validator: Validator(entityTag: "\"ü\"", lastModified: nil),
        bootID: "boot", fileNumber: .max, extents: [Extent(start: 1 << 41, end: .max)])

    private static let messages: [WorkerMessage] = [
        .ready(version: 1, WorkerConfinement.offered),
        .ready(version: 2, WorkerConfinement.offered),
        .unusable(message: "no \u{0} good \u{1F600}"),
        .probed(.max),
        .report(TransferID(.min), .progressed(bytes: .max, total: nil)),
        .report(TransferID(1), .checkpointed(resume)), .report(TransferID(1), .restarted(.fileChanged)),
        .report(TransferID(1), .responded(after: .nanoseconds(1_234_567))),
        .report(
            TransferID(1),
            .ended(
                .challenged(
                    [AuthenticationChallenge(scheme: .digest, realm: "a \"b\"", origin: "http://h:1")], resume: resume)
            )),
        .report(TransferID(1), .ended(.stopped(nil))),
        .report(TransferID(1), .ended(.storageLow(needed: nil, available: 0, resume: resume))),
        .report(
            TransferID(1),
            .ended(
                .failed(
                    TransferFailure(
                        cause: .status(503), message: "later", retryAfterSeconds: 7, retryAfterServer: "http://h:80"),
                    resume: resume))),
        .report(TransferID(1), .ended(.finished(TransferCompletion(status: 404, file: nil)))),
        .file(TransferID(1), .remove),
        .file(TransferID(1), .adopt(ServerFile(url: "http://h/", status: 206), size: .max)),
        .report(
            TransferID(1),
            .ended(
                .finished(
                    TransferCompletion(
                        status: 201, file: nil,
                        answer: UploadResponse(body: [0, 0xff, 0x80], contentType: nil, isCut: true))))),
    ]

    @Test("Posted messages arrive in order, however the stream is split", arguments: [1, 3, 7, 4096, 1 << 20])
    func roundTrip(piece: Int) throws {
        var stream: [UInt8] = []
        for message in Self.messages { stream += try WireFormat.frame(message) }
        var frames = FrameBuffer()
        var arrived: [WorkerMessage] = []
        for start in stride(from: 0, to: stream.count, by: piece) {
            stream[start..<min(start + piece, stream.count)].withUnsafeBytes { frames.append($0) }
            while let body = try frames.next() {
                arrived.append(try WireFormat.message(WorkerMessage.self, in: body))
            }
        }
        #expect(arrived == Self.messages)
    }

    @Test("Orders are decoded unchanged, with every setting")
    func orders() throws {
        var configuration = HTTPExecutorConfiguration(partialDirectory: "/p")
        configuration.limits = RateLimits(global: 7, perApp: ["a": 8], yieldsToForeground: true)
        configuration.caFile = "/ca"
        configuration.progressInterval = .milliseconds(3)
        let traits = TransferTraits(kind: .discretionary, host: "h", submitted: WallTime(secondsSinceEpoch: 5))
        var specification = TransferSpecification(
            url: "http://h/", headers: [HeaderField(name: "A", value: "ö")],
            destination: Destination(directory: "/d", name: nil), traits: traits)
        specification.credential = Credential(user: "ü", password: "p")
        specification.asksForCredentials = true
        specification.challengeResponses = [
            StoredChallengeResponse(origin: "http://h:80", answer: .headers([HeaderField(name: "A", value: "b")])),
            StoredChallengeResponse(origin: "http://i:80", answer: .refuse),
        ]
        specification.connections = 16
        let orders: [WorkerOrder] = [
            .configure(version: 1, configuration), .stop(TransferID(3)), .probe(1), .shutDown,
            .limits(RateLimits(global: 3)),
            .discard(TransferJob(id: TransferID(9), specification: specification, resume: Self.resume)),
            .start(TransferJob(id: TransferID(9), specification: specification, resume: Self.resume), .upload),
            .start(
                TransferJob(id: TransferID(9), specification: specification, resume: nil),
                .download(
                    PartialFileState(path: "/p", offset: 1, durable: 0, extents: [3..<4, 5..<Int64.max]),
                    isUnchanged: true)
            ),
            .start(
                TransferJob(id: TransferID(9), specification: specification, resume: nil),
                .failed(FileFailure("create", "/d", code: ENOSPC))),
            .file(TransferID(9), .opened(path: "/p")), .file(TransferID(9), .changed),
        ]
        for order in orders {
            var frames = FrameBuffer()
            try WireFormat.frame(order).withUnsafeBytes { frames.append($0) }
            let body = try #require(try frames.next())
            #expect(try WireFormat.message(WorkerOrder.self, in: body) == order)
        }
    }

    @Test("An impossible length is an error, not an allocation")
    func lengths() {
        var frames = FrameBuffer()
        ([0xff, 0xff, 0xff, 0xff, 1] as [UInt8]).withUnsafeBytes { frames.append($0) }
        #expect(throws: WireError.self) { try frames.next() }
    }

    @Test("Random bytes are an error or incomplete, never a message or a crash")
    func noise() {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        for _ in 0..<2000 {
            var frames = FrameBuffer()
            let bytes = (0..<64).map { index -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return index > 0 && index < 4 ? 0 : UInt8(truncatingIfNeeded: state >> 40)
            }
            bytes.withUnsafeBytes { frames.append($0) }
            while let body = try? frames.next() {
                #expect((try? WireFormat.message(WorkerOrder.self, in: body)) == nil, "seed \(seed)")
            }
        }
    }

    @Test("A frame with a changed byte is a message or an error, never a crash, and one without its end is an error")
    func damage() throws {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        for message in Self.messages {
            let body = Array(try WireFormat.frame(message).dropFirst(4))
            for index in body.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                var changed = body
                changed[index] ^= UInt8(truncatingIfNeeded: state >> 40) | 1
                // The last digit of a number may make no difference.
                _ = try? WireFormat.message(WorkerMessage.self, in: changed)
                let cut = try? WireFormat.message(WorkerMessage.self, in: Array(body[..<index]))
                #expect(cut == nil, "cut after \(index) bytes, seed \(seed)")
            }
        }
    }

    @Test("The longest response fits into a message of a worker, whatever its bytes")
    func longestResponse() throws {
        for body in [[UInt8](repeating: 1, count: 1 << 20), [UInt8](repeating: 0xff, count: 1 << 20)] {
            let answer = UploadResponse(body: body, contentType: nil)
            let frame = try WireFormat.frame(
                WorkerMessage.report(
                    TransferID(1), .ended(.finished(TransferCompletion(status: 200, file: nil, answer: answer)))))
            #expect(frame.count < WireFormat.longestMessage)
        }
    }

    @Test("Many threads post concurrently: every message arrives once, in the order of its thread")
    func outbox() throws {
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (mine, theirs) = (pair[0], pair[1])
        // The test uses its own threads, so that its waits do not block the tasks of other tests.
        let posting = Thread {
            let outbox = Outbox<WorkerMessage>(socket: OwnedSocket(mine), label: "test", limit: 16)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in Int64(0)..<500 {
                    outbox.post(.report(TransferID(Int64(thread)), .progressed(bytes: number, total: nil)))
                }
            }
            outbox.flush()
        }
        posting.start()
        var arrived: [WorkerMessage] = []
        try FrameReader.read(WorkerMessage.self, from: theirs, longestFrame: 1 << 10) { arrived.append($0) }
        close(theirs)
        #expect(arrived.count == 2000)
        for thread in Int64(0)..<4 {
            let numbers = arrived.compactMap { message -> Int64? in
                guard case .report(TransferID(thread), .progressed(let number, _)) = message else { return nil }
                return number
            }
            #expect(numbers == Array(0..<500))
        }
    }
}
