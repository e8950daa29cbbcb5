// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing
import TransferPolicy

/// Fuzz tests of the RPC server. `TRANSFER_SEED` repeats a run, and `TRANSFER_FUZZ_SECONDS` is the time of the longer one.
@Suite(
    "D5: random callers of RPC",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct RPCFuzzTests {
    private static func seed() -> UInt64 {
        let seed = ProcessInfo.processInfo.environment["TRANSFER_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("TRANSFER_SEED=\(seed)")
        return seed
    }

    @Test("Random calls of every method, with and without the token, crash nothing and write nothing elsewhere")
    func calls() async throws {
        let seed = Self.seed()
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            let daemon = try #require(try await rpc.daemon.process())
            let methods = try #require(try await rpc.answer("system.listMethods", [])["result"] as? [String])
            var fuzzer = CallFuzzer(seed: seed, token: rpc.token, methods: methods)
            let socket = try await WebSocketClient(port: rpc.port)
            for _ in 0..<1500 {
                try await socket.send(fuzzer.next())
                // The server may be slow to answer a wrong token, but it answers.
                try #require(try await socket.next() != nil)
            }
            #expect(try await rpc.server() == process)
            #expect(try await rpc.daemon.process() == daemon)
            let folder = rpc.daemon.program.folder.path
            let outside = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!outside.contains { $0.contains("fuzz") }, "\(outside)")
        }
    }

    @Test("Random bytes, requests, frames, and hang-ups of strangers crash nothing, and the owner is answered at once")
    func strangers() async throws {
        let seconds = ProcessInfo.processInfo.environment["TRANSFER_FUZZ_SECONDS"].flatMap(Double.init) ?? 5
        let seed = Self.seed()
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            var fuzzer = StrangerFuzzer(seed: seed)
            let end = ContinuousClock.now + .seconds(seconds)
            var open: [LoopbackSocket] = []
            var round = 0
            while .now < end {
                round += 1
                let socket = try await LoopbackSocket(port: rpc.port)
                for part in fuzzer.next() {
                    // The server may have ended the connection.
                    guard try await socket.send(part, within: 1) else { break }
                }
                if fuzzer.staysOpen() { open = open.suffix(150) + [socket] }
                guard round % 100 == 0 else { continue }
                try #require(try await rpc.callTime() < .seconds(1), "round \(round)")
                let memory = try RPCDaemon.memory(of: process)
                try #require(memory < 64_000_000, "\(memory) bytes in round \(round)")
            }
            print("\(round) connections")
            open = []
            #expect(try await rpc.callTime() < .seconds(1))
            #expect(try await rpc.server() == process)
        }
    }
}

/// Makes the bytes of strangers, most of which are nearly right requests.
private struct StrangerFuzzer {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Returns the bytes of the next connection, in the parts in which they are sent.
    mutating func next() -> [[UInt8]] {
        var bytes: [UInt8]
        switch random.number(10) {
        case 0: bytes = (0..<random.number(3000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case 1...3: bytes = handshake() + (0..<random.number(5)).flatMap { _ in frame() }
        default: bytes = (0...random.number(3)).flatMap { _ in request() }
        }
        if random.chance(20), !bytes.isEmpty {
            for _ in 0...random.number(4) {
                bytes[random.number(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        if random.chance(20) { bytes = Array(bytes.prefix(random.number(bytes.count + 1))) }
        let cut = random.number(bytes.count + 1)
        return [Array(bytes[..<cut]), Array(bytes[cut...])]
    }

    /// Returns whether the next connection is kept open.
    mutating func staysOpen() -> Bool { random.chance(30) }

    private mutating func handshake() -> [UInt8] {
        let lines = [
            "GET /jsonrpc HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private mutating func frame() -> [UInt8] {
        let opcodes: [UInt8] = [0x81, 0x82, 0x01, 0x00, 0x80, 0x88, 0x89, 0x8A, 0xF1, 0x83]
        let opcode = opcodes[random.number(opcodes.count)]
        if random.chance(10) {
            // A length of up to 2^64, of which nothing follows.
            return [opcode, 0xFF] + (0..<8).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        return WebSocketClient.frame(json(), opcode: opcode)
    }

    private mutating func request() -> [UInt8] {
        let body = json()
        let methods = ["POST", "POST", "POST", "POST", "GET", "OPTIONS", "PUT", ""]
        let query = random.chance(20) ? "?params=" + Data(body.prefix(3000)).base64EncodedString() : ""
        var lines = ["\(methods[random.number(methods.count)]) /jsonrpc\(query) HTTP/1.1", "Host: localhost"]
        let lengths = [
            body.count, body.count, body.count, body.count, body.count + 9, 0, -1, .max, 2 << 20, (2 << 20) + 1,
        ]
        lines.append("Content-Length: \(lengths[random.number(lengths.count)])")
        let others = [
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Content-Length: 3", "Origin: null",
            "Connection: close",
            "X: " + String(repeating: "x", count: random.number(20_000)), ": ", "Host",
        ]
        if random.chance(30) { lines.append(others[random.number(others.count)]) }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Returns JSON, or nearly so: single calls, lists, and texts that are too long, too deep, or too rich in values.
    private mutating func json() -> [UInt8] {
        let call = #"{"id":\#(random.number(9)),"method":"system.listMethods","params":[]}"#
        let nested = #"{"methodName":"system.listNotifications","params":[]}"#
        let text =
            switch random.number(100) {
            case 0..<3: #"{"id":1,"method":"aria2.getVersion","params":["token:0123456789abcdef"]}"#
            case 3..<20: call
            case 20..<35: "[" + Array(repeating: call, count: random.number(400) + 1).joined(separator: ",") + "]"
            case 35..<50:
                #"{"id":1,"method":"system.multicall","params":[["#
                    + Array(repeating: nested, count: random.number(400) + 1).joined(separator: ",") + "]]}"
            case 50..<65: String(repeating: "[", count: random.number(70_000))
            case 65..<80: "[" + String(repeating: #"{"a":[]},"#, count: random.number(40_000)) + "0]"
            case 80..<90: "\"" + String(repeating: "\\u2200", count: random.number(20_000)) + "\""
            default: "[1e999,-1e-999,\(UInt64.max),-0.0,\"\\ud800\",null,true,{\"\":{}}]"
            }
        return Array(text.utf8)
    }
}

extension SplitMix64 {
    fileprivate mutating func number(_ count: Int) -> Int { Int(next() % UInt64(count)) }
    fileprivate mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
}

/// Makes random calls, most of which are nearly right.
private struct CallFuzzer {
    private var random: SplitMix64
    private let token: String
    private let methods: [String]

    init(seed: UInt64, token: String, methods: [String]) {
        (random, self.token, self.methods) = (SplitMix64(seed: seed), token, methods)
    }

    mutating func next() -> String {
        guard let data = try? JSONSerialization.data(withJSONObject: call(), options: .fragmentsAllowed) else {
            return "{"
        }
        var text = Array(data)
        if chance(10), !text.isEmpty {
            for _ in 0..<number(3) + 1 { text[number(text.count)] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func call() -> Any {
        if chance(3) { return (0..<number(4)).map { _ in single() } }
        return single()
    }

    private mutating func single() -> Any {
        var parameters: [Any] = chance(97) ? ["token:" + token] : []
        for _ in 0..<number(4) { parameters.append(value(depth: 3)) }
        var call: [String: Any] = ["jsonrpc": "2.0", "method": methods[number(methods.count)], "params": parameters]
        if chance(95) { call["id"] = number(1000) }
        if chance(2) { call["params"] = value(depth: 2) }
        return call
    }

    private mutating func value(depth: Int) -> Any {
        switch number(depth > 0 ? 10 : 7) {
        case 0: return number(4) - 1
        case 1: return [9.5e300, -1, 2_147_483_648, 0.5][number(4)]
        case 2: return String(format: "%016x", number(40))
        case 3: return ["POS_SET", "POS_CUR", "POS_END", "", "..", "../fuzz", "/etc/fuzz", "fuzz\u{202E}"][number(8)]
        case 4: return "http://127.0.0.1:9/fuzz\(number(9))"
        case 5: return chance(50)
        case 6: return NSNull()
        case 7: return (0..<number(4)).map { _ in value(depth: depth - 1) }
        case 8: return ["http://127.0.0.1:9/fuzz\(number(9))"]
        default:
            let names = [
                "dir", "out", "header", "pause", "split", "checksum", "max-download-limit", "allow-overwrite", "gid",
                "on-download-complete", "transferd.kind", "transferd.priority", "timeout", "user-agent",
            ]
            var object: [String: Any] = [:]
            for _ in 0..<number(3) { object[names[number(names.count)]] = value(depth: depth - 1) }
            return object
        }
    }

    private mutating func number(_ count: Int) -> Int { random.number(count) }
    private mutating func chance(_ percent: Int) -> Bool { random.chance(percent) }
}
