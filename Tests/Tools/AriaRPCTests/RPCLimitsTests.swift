// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Synchronization
import Testing
import TransferModel

@testable import AriaRPC

/// Tests of the limits of texts, header fields, and connections.
@Suite("D5: limits of RPC")
struct RPCLimitsTests {
    @Test(
        "values are counted before they are built",
        arguments: [
            ("", 0, 0), ("7", 1, 0), ("[]", 1, 1), (#"[{"a":1},{"a":"]"}]"#, 7, 2), (#"["a\"[,\\",[[]]]"#, 4, 3),
            ("[1,2,,3 4]", 4, 1), ("]]]]", 0, 0), (#"["unfinished [[["#, 2, 1),
        ])
    func counts(text: String, values: Int, depth: Int) {
        let scan = TextScan(Data(text.utf8))
        #expect(scan.values == values && scan.depth == depth, "\(scan)")
    }

    @Test(
        "the first token of a text is found even if the text is incomplete or escaped",
        arguments: [
            (#"{"params":["token:abc","token:other"],"#, "abc"), (#"["token:a\/b\u0063"#, nil),
            (#"["token:a\/b\u0063"]"#, "a/bc"), (#"{"id":"x","params":[" token:abc"]}"#, nil), (#"["token:"]"#, ""),
        ] as [(String, String?)])
    func token(text: String, token: String?) {
        #expect(TextScan(Data(text.utf8)).token == token)
    }

    @Test("too many or too deep values are refused by their number, with more for the right token")
    func values() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let token = "\"token:\(RPCFixture.token)\""
        func message(_ text: String) async throws -> String {
            let answer = try JSONValue(data: await fixture.calls.answer(Data(text.utf8)).json)
            guard case .string(let message)? = answer["error"]?["message"] else { return "\(answer)" }
            return message
        }
        func list(_ count: Int, _ first: String) -> String {
            "{\"method\":\"aria2.getVersion\",\"params\":[\(first)\(String(repeating: ",{}", count: count))]}"
        }
        #expect(try await message(list(230_000, "{}")).contains("more than 200 values; with the right token, 20000"))
        #expect(try await message(list(2000, "\"token:wrong\"")).contains("more than 200 values"))
        #expect(try await message(list(2000, token)).contains("version"))
        #expect(try await message(list(20_000, token)).hasSuffix("more than 20000 values"))
        #expect(try await message(String(repeating: "[", count: 65)).contains("nested 64 deep"))
        // In UTF-16, a character such as U+2200 contains the byte of a quotation mark.
        let wide = try #require("[\"\u{2200}\",1]".data(using: .utf16LittleEndian))
        #expect(try JSONValue(data: await fixture.calls.answer(wide).json)["error"]?["code"] == .number(-32700))
    }

    @Test("a text with too many values tries a token, too, so that its answer is delayed")
    func oversizedToken() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let text = "[\"token:wrong\"" + String(repeating: ",1", count: 30_000) + "]"
        #expect(await fixture.calls.answer(Data(text.utf8)).isRefused)
        #expect(fixture.calls.authorization(of: Data(text.utf8.prefix(20))).isRefused)
        #expect(!fixture.calls.authorization(of: Data(text.utf8.prefix(10))).isRefused, "no token")
    }

    @Test("a token is right only as a whole")
    func tokens() {
        let check = TokenCheck("0123456789abcdef")
        for wrong in ["", "0123456789abcde", "0123456789abcdefg", "0123456789abcdeF", "1123456789abcdef"] {
            #expect(!check.isRight(wrong))
        }
        #expect(check.isRight("0123456789abcdef"))
    }

    @Test(
        "faulty header fields are refused, and the remedy is named",
        arguments: [
            ("", "METHOD PATH"), ("GET /\r\n\r\n", "METHOD PATH"), ("GET / HTTP/2\r\n\r\n", "METHOD PATH"),
            ("GET / HTTP/1.1\r\nHost\r\n\r\n", "Name: value"), ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", "Name: value"),
            ("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "repeated"),
            ("GET / HTTP/1.1\r\nHo\u{17F}t: a\r\n\r\n", "Name: value"),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", "Name: value"),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "number of bytes"),
            ("POST / HTTP/1.1\r\nContent-Length: \r\n\r\n", "number of bytes"),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "repeated"),
        ])
    func heads(text: String, message: String) {
        let fault = #expect(throws: RPCFault.self) { try RequestHead(text) }
        #expect(fault?.message.contains(message) == true, "\(String(describing: fault))")
    }

    @Test("the header fields of a request are read without regard to case")
    func head() throws {
        let head = try RequestHead(
            "POST /jsonrpc?a=b HTTP/1.1\r\nhost: localhost\r\nCONTENT-LENGTH: 99999999999999999999\r\nConnection: close"
                + "\r\n\r\n")
        #expect(head.request.path == "/jsonrpc" && head.request.query == [.init(name: "a", value: "b")])
        #expect(head.request.headers[.host] == "localhost" && head.bodyBytes == .max && !head.isKeptAlive)
        #expect(try RequestHead("GET / HTTP/1.1\r\n\r\n").isKeptAlive)
        #expect(try !RequestHead("GET / HTTP/1.0\r\n\r\n").isKeptAlive)
    }

    // MARK: Numbers

    /// The options that are numbers.
    private static let numericOptions = [
        "max-download-limit", "timeout", "max-tries", "transferd.priority", "max-connection-per-server", "split",
    ]

    @Test(
        "an extreme number gets an answer, whichever method it is for",
        arguments: [
            .number(-9_223_372_036_854_775_808), .number(9_223_372_036_854_775_808), .number(-2_147_483_648),
            .number(2_147_483_647), .number(-2_147_483_647), .number(1e300), .number(-1e300), .number(0.5),
            .number(-0.0), .number(-1), .number(999_999_999_999_999), .number(.greatestFiniteMagnitude),
            "9223372036854775807", "9223372036854775807K", "9223372036854775807M", "-9223372036854775808M",
            "9223372036854775808", "K", "", "1e400", "\u{663}", "0x10", "+1", "1M",
        ] as [JSONValue])
    func extremes(number: JSONValue) async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let gids = [try await fixture.add(), try await fixture.add(), try await fixture.add()]
        let urls = JSONValue.array(["http://example.org/a"])
        let size = if case .string(let text) = number { text } else { "9223372036854775807" }
        let metalink = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><size>\(size)</size>\
            <url>http://example.org/a</url></file></metalink>
            """
        let document = JSONValue.string(Data(metalink.utf8).base64EncodedString())
        var calls: [(RPCMethod, [JSONValue])] = [
            (.addURI, [urls, .object([:]), number]), (.addMetalink, [document, .object([:]), number]),
            (.addMetalink, [document]), (.listActive, [number]), (.status, [number]),
        ]
        for method in [RPCMethod.listWaiting, .listStopped] {
            calls += [
                (method, [number, number]), (method, [number, 1]), (method, [0, number]), (method, [-1, number]),
            ]
        }
        for origin in ["POS_SET", "POS_CUR", "POS_END"] {
            calls += gids.map { (.changePosition, [$0, number, .string(origin)]) }
        }
        for option in Self.numericOptions {
            let options = JSONValue.object([option: number])
            calls += [
                (.addURI, [urls, options]), (.changeOption, [gids[0], options]), (.changeGlobalOption, [options]),
            ]
        }
        for (method, parameters) in calls {
            let answer = try await fixture.answer(
                method.rawValue, [.string("token:" + RPCFixture.token)] + parameters)
            guard answer["result"] == nil else { continue }
            guard case .string(let message)? = answer["error"]?["message"], !message.isEmpty else {
                Issue.record("\(method) \(parameters): \(answer)")
                continue
            }
        }
    }

    @Test("a size that a server invents is reported", arguments: [.max, 0, 1, (1 << 20) + 1] as [Int64])
    func sizes(total: Int64) {
        var status = TransferStatus(
            id: TransferID(.max), url: "", name: "", app: "", isUpload: false, kind: .normal, priority: 500,
            state: .running, submitted: WallTime(secondsSinceEpoch: 0))
        (status.total, status.bytes, status.rate) = (total, total, .max)
        let report = DownloadReport(status: status, details: .init(directory: "/", urls: []))
        let pieces = total / (1 << 20) + (total % (1 << 20) > 0 ? 1 : 0)
        #expect(report.values["numPieces"] == .string("\(pieces)"))
    }

    // MARK: Connections

    @Test("a new connection ends the oldest one without the right token, and none with it")
    func eviction() async {
        let ended = Mutex<[Int]>([])
        let slots = ConnectionSlots(.init(strangers: 2, authorized: 1))
        for number in 1...4 {
            let id = await slots.enter { ended.withLock { $0.append(number) } }
            if number <= 2 { await slots.authorize(id) }
        }
        // The second could not become authorized, so it was the oldest stranger.
        #expect(ended.withLock { $0 } == [2])
        _ = await slots.enter {}
        #expect(ended.withLock { $0 } == [2, 3])
        #expect(await slots.isAuthorized(1))
        #expect(await !slots.isAuthorized(2))
    }

    @Test("a connection with a wrong token keeps its slot for the delay, even if its client has gone")
    func delays() async {
        let clock = ManualClock()
        let slots = ConnectionSlots(.init(strangers: 1), clock: clock)
        let ended = Mutex(false)
        let first = await slots.enter { ended.withLock { $0 = true } }
        async let delay: Void = slots.delay(first)
        await clock.awaitSleeper()
        async let second = slots.enter {}
        while await slots.waiting.isEmpty, !ended.withLock({ $0 }) { await Task.yield() }
        #expect(!ended.withLock { $0 })
        clock.advance(by: .milliseconds(500))
        await delay
        #expect(await second == 2)
        #expect(ended.withLock { $0 }, "the delay is over")
    }

    @Test("long texts are in memory one at a time, in the order of their connections")
    func longTexts() async {
        let slots = ConnectionSlots()
        let (first, second) = (await slots.enter {}, await slots.enter {})
        await slots.claimLongText(first)
        await slots.claimLongText(first)
        let order = Mutex<[Int]>([])
        async let waiting: Void = {
            await slots.claimLongText(second)
            order.withLock { $0.append(2) }
        }()
        while await slots.waitingForLongText.isEmpty, order.withLock({ $0.isEmpty }) { await Task.yield() }
        order.withLock { $0.append(1) }
        await slots.releaseLongText(second)
        await slots.leave(first)
        await waiting
        #expect(order.withLock { $0 } == [1, 2])
    }

    @Test(
        "frames to clients have the lengths of RFC 6455",
        arguments: [(5, 2), (125, 2), (126, 4), (65_535, 4), (65_536, 10)])
    func frames(count: Int, head: Int) {
        let frame = WSFrame(fin: true, opcode: .text, mask: nil, payload: Data(count: count))
        let bytes = SocketConversation.bytes(of: frame)
        #expect(bytes.count == count + head && bytes[0] == 0x81)
        let length = head == 2 ? Int(bytes[1]) : bytes[2..<head].reduce(0) { $0 << 8 | Int($1) }
        #expect(length == count)
    }
}

/// A clock that a test moves.
private final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [CheckedContinuation<Void, Never>] = []
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        await withCheckedContinuation { continuation in
            let observers = state.withLock { state in
                state.sleepers.append(continuation)
                defer { state.observers = [] }
                return state.observers
            }
            for observer in observers { observer.resume() }
        }
    }

    /// Waits until somebody sleeps.
    func awaitSleeper() async {
        await withCheckedContinuation { continuation in
            let isAsleep = state.withLock { state in
                if state.sleepers.isEmpty { state.observers.append(continuation) }
                return !state.sleepers.isEmpty
            }
            if isAsleep { continuation.resume() }
        }
    }

    /// Moves the clock, and wakes all who sleep.
    func advance(by duration: Duration) {
        let sleepers = state.withLock { state in
            state.now.offset += duration
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
    }
}
