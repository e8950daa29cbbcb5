// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of the RPC server with hostile callers: web pages, programs without the token, and programs with it.
@Suite(
    "D5: hostile callers of RPC",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct HostileRPCTests {
    @Test("A page of a foreign origin gets nothing, over HTTP and over a WebSocket, even with the token")
    func foreignOrigin() async throws {
        try await RPCDaemon.with(origins: ["http://localhost:8080"]) { rpc in
            let call = #"{"id":1,"method":"aria2.getVersion","params":["token:\#(rpc.token)"]}"#
            for headers in [
                ["Host: localhost", "Origin: http://evil.example"], ["Host: localhost", "Origin: null"],
                ["Host: rebound.example"], ["Host: localhost", "Sec-Fetch-Site: cross-site"], [],
            ] {
                let answer = try await LoopbackSocket(port: rpc.port).exchange("POST /jsonrpc HTTP/1.1", call, headers)
                #expect(answer.hasPrefix("HTTP/1.1 403") && !answer.contains("version"), "\(headers): \(answer)")
                #expect(!answer.contains("Access-Control-Allow-Origin"))
            }
            await #expect(throws: FixtureError.self) {
                try await WebSocketClient(port: rpc.port, origin: "http://evil.example")
            }
            let allowed = try await LoopbackSocket(port: rpc.port).exchange(
                "POST /jsonrpc HTTP/1.1", call, ["Host: localhost", "Origin: http://localhost:8080"])
            #expect(
                allowed.contains("Access-Control-Allow-Origin: http://localhost:8080") && allowed.contains("version"))
            let preflight = try await LoopbackSocket(port: rpc.port).exchange(
                "OPTIONS /jsonrpc HTTP/1.1", "", ["Host: localhost", "Origin: http://localhost:8080"])
            #expect(preflight.hasPrefix("HTTP/1.1 204") && preflight.contains("Access-Control-Allow-Methods"))
            _ = try await WebSocketClient(port: rpc.port, origin: "http://localhost:8080")
        }
    }

    @Test("A WebSocket without the token gets no notifications")
    func silentSocket() async throws {
        try await RPCDaemon.with { rpc in
            let stranger = try await WebSocketClient(port: rpc.port)
            try await stranger.send(#"{"id":1,"method":"aria2.tellActive","params":["token:0123456789abcdef"]}"#)
            #expect(try await stranger.next()?.contains("Unauthorized") == true)
            _ = try await rpc.call("aria2.addUri", ["http://127.0.0.1:9/a"], ["pause": "true"])
            _ = try await rpc.call("aria2.remove", "0000000000000001")
            try await stranger.send(#"{"id":2,"method":"system.listNotifications"}"#)
            #expect(try await stranger.next()?.contains(#""id":2"#) == true, "the next message is the answer")
        }
    }

    @Test("Endless header fields, bodies, and frames end a connection at once, and nothing grows")
    func endless() async throws {
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            let before = try RPCDaemon.memory(of: process)
            let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
            let head = "POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\n"
            for beginning in [
                "", head + "X: ", head + "Content-Length: 99999999999\r\n\r\n",
                head + "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n",
                head + "Transfer-Encoding: chunked\r\n\r\n",
            ] {
                let socket = try await LoopbackSocket(port: rpc.port)
                try await socket.send(beginning)
                // 64 MB are far more than the limit of 2 MB and what the kernel buffers.
                #expect(try await socket.isRefused(chunk, times: 1024), "\(beginning.prefix(80))")
                #expect(try await socket.isEnded(within: 5), "\(beginning.prefix(80))")
            }
            for start in [[0x81, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7), [0x01, 0xFE, 0xFF, 0xFF]] {
                let socket = try await WebSocketClient(port: rpc.port)
                try await socket.socket.send(start)
                #expect(try await socket.socket.isRefused(chunk, times: 1024), "\(start)")
                #expect(try await socket.socket.isEnded(within: 5), "\(start)")
            }
            try await rpc.awaitAnswer()
            #expect(try await rpc.server() == process, "the server did not crash")
            let grown = try RPCDaemon.memory(of: process) - before
            print("grown by \(grown) bytes")
            #expect(grown < 100_000_000)
        }
    }

    @Test("A request that is never completed ends after half a minute")
    func silence() async throws {
        try await RPCDaemon.with { rpc in
            let socket = try await LoopbackSocket(port: rpc.port)
            try await socket.send("POST /jsonrpc HTTP/1.1\r\nHost: loc")
            #expect(try await !socket.isEnded(within: 20))
            #expect(try await socket.isEnded(within: 20))
        }
    }

    @Test("Hundreds of connections keep nobody out for longer than they last")
    func connections() async throws {
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            var open: [LoopbackSocket] = []
            for _ in 0..<300 { open.append(try await LoopbackSocket(port: rpc.port)) }
            open.removeAll()
            try await rpc.awaitAnswer()
            #expect(try await rpc.server() == process)
        }
    }

    @Test("A caller with the token who does not read its answers makes none pile up")
    func unread() async throws {
        try await RPCDaemon.with { rpc in
            for number in 0..<200 {
                _ = try await rpc.call("aria2.addUri", ["http://127.0.0.1:9/\(number)"], ["pause": "true"])
            }
            let process = try #require(try await rpc.server())
            let socket = try await WebSocketClient(port: rpc.port)
            let before = try RPCDaemon.memory(of: process)
            let call = #"{"id":1,"method":"aria2.tellWaiting","params":["token:\#(rpc.token)",0,1000]}"#
            // The answers together would have hundreds of megabytes.
            for _ in 0..<5000 {
                guard try await socket.send(call, within: 2) else { break }
            }
            let grown = try RPCDaemon.memory(of: process) - before
            print("grown by \(grown) bytes")
            #expect(grown < 100_000_000)
            try await rpc.awaitAnswer()
        }
    }

    @Test("The server gains no privileges and opens few files")
    func confinement() async throws {
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
            #expect(limits.contains(#/Max open files +512 +512/#))
        }
    }

    @Test("Random calls of every method, with and without the token, crash nothing and write nothing elsewhere")
    func fuzz() async throws {
        let seed = ProcessInfo.processInfo.environment["TRANSFER_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("TRANSFER_SEED=\(seed)")
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
}

/// Makes random calls, most of which are nearly right.
private struct CallFuzzer {
    private var random: SplitMix
    private let token: String
    private let methods: [String]

    init(seed: UInt64, token: String, methods: [String]) {
        (random, self.token, self.methods) = (SplitMix(state: seed), token, methods)
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

    private mutating func number(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
}
