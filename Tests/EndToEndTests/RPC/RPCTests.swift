// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of the daemon's server for aria2's JSON-RPC, with real power conditions.
@Suite(
    "D5: aria2's JSON-RPC",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"),
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct RPCTests {
    @Test("A download waits on battery and says why; after plugging in it finishes, which a WebSocket is told")
    func download() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await RPCDaemon.with(pluggedIn: false) { rpc in
            let socket = try await WebSocketClient(port: rpc.port)
            try await socket.send(
                #"{"id":7,"method":"aria2.addUri","params":["token:\#(rpc.token)",["\#(server.url("file.bin"))"]]}"#)
            #expect(try await socket.next()?.contains(#""id":7"#) == true)
            try await waitUntil("the reason is known", within: 30) {
                let listed = try await rpc.call("aria2.tellWaiting", 0, 10) as? [[String: Any]]
                return (listed?.first?["transferd.why"] as? String)?.contains("on battery") == true
            }
            let gid = "0000000000000001"
            #expect(try await rpc.status(gid)["status"] as? String == "waiting" && server.requests().isEmpty)
            // The person sees it as the transfer of an app.
            #expect(try await rpc.daemon.transfer("1")["app"] as? String == "rpc")

            try await rpc.power.setAC(true)
            for name in ["Start", "Complete"] {
                let news = try await socket.next() ?? ""
                #expect(news.contains("aria2.onDownload\(name)") && news.contains(gid), "\(news)")
            }
            #expect(try await rpc.status(gid)["status"] as? String == "complete")
            #expect(RandomFile.same(rpc.downloads + "/file.bin", served))
        }
    }

    @Test("Callers see only downloads of RPC, and the person's are out of their reach")
    func isolation() async throws {
        try await RPCDaemon.with { rpc in
            _ = try await rpc.daemon.run("add", "--not-before", "+1h", "http://127.0.0.1:9/secret")
            #expect((try await rpc.call("aria2.tellWaiting", 0, 10) as? [Any])?.isEmpty == true)
            for method in ["tellStatus", "remove", "pause", "getOption", "getUris", "changePosition"] {
                let answer = try await rpc.answer(
                    "aria2." + method, ["token:" + rpc.token, "0000000000000001", 0, "POS_SET"])
                #expect(answer["result"] == nil, "\(method): \(answer)")
            }
            #expect(try await rpc.call("aria2.pauseAll") as? String == "OK")
            #expect(try await rpc.daemon.state(of: "1") == "waiting")
        }
    }

    @Test("The server starts again after a crash, ends with the daemon, and follows the configuration")
    func lifetime() async throws {
        try await RPCDaemon.with { rpc in
            let token = rpc.daemon.program.folder.path + "/state/transferd/rpc-token"
            let mode = try FileManager.default.attributesOfItem(atPath: token)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let first = try #require(try await rpc.server())
            kill(first, SIGKILL)
            try await waitUntil("another server runs", within: 20) {
                try await rpc.server().map { $0 != first } ?? false
            }
            try await rpc.awaitAnswer()

            try await rpc.reconfigure { $0.replacing("enabled = true", with: "enabled = false") }
            try await waitUntil("the server ends", within: 20) { try await rpc.server() == nil }
            await #expect(throws: FixtureError.self) { try await LoopbackSocket(port: rpc.port) }
            try await rpc.reconfigure { $0.replacing("enabled = false", with: "enabled = true") }
            try await rpc.awaitAnswer()

            let last = try #require(try await rpc.server())
            kill(try #require(try await rpc.daemon.process()), SIGKILL)
            try await waitForEnd(of: last, within: 20)
        }
    }

    /// The path of the real aria2p, or `nil`.
    private static let client = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/aria2p" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(
        "The real aria2p adds, pauses, resumes, removes, and lists downloads, and shows the reason",
        .enabled(if: RPCTests.client != nil, "aria2p is missing: pip install aria2p"))
    func realClient() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        try await RPCDaemon.with(pluggedIn: false) { rpc in
            let client = try #require(Self.client)
            func aria2p(_ words: String...) async throws -> String {
                var program = rpc.daemon.program
                program.executable = client
                let (status, run) = try await program.run(
                    ["-p", "\(rpc.port)", "-s", rpc.token] + words, within: 60)
                #expect(status == 0, "\(words): \(run.output) \(run.errors)")
                return run.output
            }
            let gid = "0000000000000001"
            _ = try await aria2p("add", server.url("file.bin"))
            #expect(try await aria2p("show").contains("waiting"))
            // aria2p shows the values of a call as they are.
            try await waitUntil("the reason is shown", within: 30) {
                try await aria2p("call", "tellStatus", "-P", gid).contains("on battery")
            }
            _ = try await aria2p("pause", gid)
            #expect(try await rpc.status(gid)["status"] as? String == "paused")
            _ = try await aria2p("resume", gid)
            #expect(try await rpc.status(gid)["status"] as? String == "waiting")
            _ = try await aria2p("add", server.url("other.bin"))
            _ = try await aria2p("remove", "0000000000000002")
            #expect(try await rpc.call("aria2.tellWaiting", 0, 10) is [[String: Any]])
            try await rpc.power.setAC(true)
            try await waitUntil("it has finished", within: 60) {
                try await rpc.status(gid)["status"] as? String == "complete"
            }
            #expect(try await aria2p("show").contains("complete"))
            #expect(RandomFile.same(rpc.downloads + "/file.bin", served))
            _ = try await aria2p("purge")
            #expect((try await rpc.call("aria2.tellStopped", 0, 10) as? [Any])?.isEmpty == true)
        }
    }
}
