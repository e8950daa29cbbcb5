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

    @Test("The server gains no privileges, opens few files, and leaves no memory to others")
    func confinement() async throws {
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1") && status.contains("CapEff:\t0000000000000000"))
            #expect(status.contains("Seccomp:\t2"))
            let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
            #expect(limits.contains(#/Max open files +512 +512/#))
            #expect(limits.contains(#/Max core file size +0 +0/#))
            // Root may read everything.
            #expect(geteuid() == 0 || !FileManager.default.isReadableFile(atPath: "/proc/\(process)/environ"))
            // The daemon must still know a program whose facts it can no longer read.
            try await rpc.daemon.run("apps", "trust", "other.service")
            _ = try await rpc.call("aria2.addUri", ["http://127.0.0.1:9/a"], ["pause": "true"])
            #expect(try await (rpc.call("aria2.tellWaiting", 0, 9) as? [Any])?.count == 1)
        }
    }

    @Test("A flood without the right token leaves the memory small, and the owner's calls take less than a second")
    func flood() async throws {
        try await RPCDaemon.with { rpc in
            let process = try #require(try await rpc.server())
            let port = rpc.port
            let objects = Array(("[" + String(repeating: #"{"a":1},"#, count: 230_000) + "0]").utf8)
            let head = "POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
            let wrong = #"{"id":1,"method":"aria2.getVersion","params":["token:0123456789abcdef"]},"#
            let batch = "[" + String(repeating: wrong, count: 1000) + "{}]"
            // A list of the size that a stranger may send.
            let short = "[" + String(repeating: wrong, count: 20) + "{}]"
            var idle: [LoopbackSocket] = []
            for _ in 0..<40 { idle.append(try await LoopbackSocket(port: port)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let socket = try await LoopbackSocket(port: port)
                        try await socket.send(Array((head + "\(objects.count)\r\n\r\n").utf8) + objects)
                        _ = try await socket.receiveAll()
                    }
                }
                for text in [batch, short] {
                    for _ in 0..<40 {
                        let socket = try await LoopbackSocket(port: port)
                        try await socket.send(head + "\(text.utf8.count)\r\n\r\n" + text)
                    }
                }
                let time = try await rpc.callTime()
                #expect(time < .seconds(1))
                try await group.waitForAll()
            }
            let time = try await rpc.callTime()
            #expect(time < .seconds(1))
            let memory = try RPCDaemon.memory(of: process)
            print("\(memory) bytes")
            #expect(memory < 64_000_000)
            #expect(try await rpc.server() == process)
        }
    }

    @Test("A connection with the right token outlives any number of others, and long texts need the token early")
    func slots() async throws {
        try await RPCDaemon.with { rpc in
            let owner = try await WebSocketClient(port: rpc.port)
            let call = #"{"id":1,"method":"aria2.getVersion","params":["token:\#(rpc.token)"]}"#
            try await owner.send(call)
            #expect(try await owner.next()?.contains("version") == true)
            let stranger = try await WebSocketClient(port: rpc.port)
            var open: [LoopbackSocket] = []
            for _ in 0..<140 { open.append(try await LoopbackSocket(port: rpc.port)) }
            try await rpc.awaitAnswer()
            #expect(try await stranger.next() == nil, "the oldest stranger makes room")
            try await owner.send(call)
            #expect(try await owner.next()?.contains("version") == true)

            let filler = String(repeating: " ", count: 100_000)
            let early = try await LoopbackSocket(port: rpc.port).request(call + filler)
            #expect(early.contains("version"), "\(early.prefix(300))")
            let late = try await LoopbackSocket(port: rpc.port).request(filler + call)
            #expect(late.contains("more than 65536 bytes must have the right token"), "\(late.prefix(300))")
            try await owner.send(call + filler)
            #expect(try await owner.next()?.contains("version") == true)
            let other = try await WebSocketClient(port: rpc.port)
            try await other.send(call + filler)
            #expect(try await other.next()?.contains("call with the right token first") == true)
        }
    }
}
