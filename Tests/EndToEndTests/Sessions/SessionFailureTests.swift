// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import ConditionFixtures
import Foundation
import GLibBridge
import HostileServer
import ProcessFixtures
import Synchronization
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Background sessions under failures",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionFailureTests {
    @Test("L5, E4: despite repeated kills of the daemon, each download ends once and none is lost")
    func manyKills() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var state = seed | 1
        func next(below limit: UInt64) -> UInt64 {
            // xorshift64 (Marsaglia 2003)
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state % limit
        }
        try await SessionFixture.with { fixture in
            for number in 1...40 { try fixture.server.serve("\(number)", bytes: 20_000 * number) }
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            for number in 1...40 {
                try app.send("download \(fixture.server.url("\(number)"))")
                guard number.isMultiple(of: 5) else { continue }
                try await Task.sleep(for: .microseconds(next(below: 400_000)))
                try await fixture.killDaemon()
            }
            for number in 1...40 { try await app.log.wait(for: "completed \(number) 0", within: 180) }
            try app.send("tasks")
            #expect(try await app.log.wait(for: "tasks") == "tasks")
            let lines = app.log.lines
            for number in 1...40 {
                #expect(lines.count { $0.hasPrefix("downloaded \(number) \(20_000 * number) ") } == 1)
                #expect(lines.count { $0.hasPrefix("completed \(number) ") } == 1)
            }
            await app.crash()
        }
    }

    @Test("L2: a stopped app is not launched again, and gets all events after it continues")
    func stopped() async throws {
        try await SessionFixture.with(rate: 2_000_000) { fixture in
            try fixture.server.serve("episode", bytes: 4_000_000)
            let app = try fixture.app("app", "--session", "episodes", "--relaunch")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "received 1")
            kill(app.process.id, SIGSTOP)
            try await waitUntil("the events wait", within: 60) {
                try await fixture.row()["waiting-events"] as? Int == 3
            }
            #expect(try await fixture.row()["launches"] as? Int == 0)
            kill(app.process.id, SIGCONT)
            try await app.log.wait(for: "completed 1 0")
            try await waitUntil("the events are acknowledged", within: 60) {
                try await fixture.row()["waiting-events"] as? Int == 0
            }
            await app.crash()
        }
    }

    @Test("T2: a task rejected by the daemon ends with an error that gives the reason")
    func refused() async throws {
        try await SessionFixture.with { fixture in
            try FileManager.default.createDirectory(
                atPath: fixture.daemon.program.folder.path + "/config/transferd", withIntermediateDirectories: true)
            try "open-per-app = 1\n".write(
                toFile: fixture.daemon.program.folder.path + "/config/transferd/config.toml", atomically: true,
                encoding: .utf8)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("later 3600 \(fixture.server.url("a"))")
            try await app.log.wait(for: "submitted 1")
            // The daemon counts the task once the engine has reported it.
            try await waitUntil("the task is counted", within: 60) { try await fixture.row()["open"] as? Int == 1 }
            try app.send("later 3600 \(fixture.server.url("b"))")
            try await app.log.wait(for: "completed 2 -1")
            try app.send("tasks")
            #expect(try await app.log.wait(for: "tasks") == "tasks 1:0")
            await app.crash()
        }
    }

    @Test(
        "C5, E8: an upload's response arrives as a body; the file may be removed before the upload starts"
    )
    func upload() async throws {
        let bodies = Mutex<[[UInt8]]>([])
        let server = try HostileServer { request, connection in
            guard let body = connection.readBody(of: request) else { return }
            guard request.method == "POST" else {
                // The client asks whether the server can resume an interrupted upload.
                connection.respond("204 No Content", ["Allow: POST"])
                return
            }
            bodies.withLock { $0.append(body) }
            connection.respond("201 Created", body: "got \(body.count) by \(request.method)".utf8)
        }
        defer { server.stop() }
        try await SessionFixture.with { fixture in
            let file = fixture.daemon.program.folder.path + "/upload"
            try RandomFile.write(file, bytes: 100_000, seed: 3)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("upload \(file) \(server.url("/inbox"))")
            try await app.log.wait(for: "completed 1")
            #expect(
                app.log.events == [
                    "opened episodes", "responded 1 201", "body 1 got 100000 by POST", "completed 1 0",
                ])
            let sent = try Data(contentsOf: URL(fileURLWithPath: file))
            let isWhole = bodies.withLock { $0 == [Array(sent)] }
            #expect(isWhole, "the server received different bytes")
            // The file exists when the upload is submitted, but not when the upload starts.
            try await fixture.daemon.run("hold")
            try app.send("upload \(file) \(server.url("/inbox"))")
            try await app.log.wait(for: "submitted 2")
            try FileManager.default.removeItem(atPath: file)
            try await fixture.daemon.run("release")
            try await app.log.wait(for: "completed 2")
            #expect(app.log.events.last == "completed 2 0")
            let isWholeAgain = bodies.withLock { $0 == [Array(sent), Array(sent)] }
            #expect(isWholeAgain, "the server received different bytes")
            await app.crash()
        }
    }

    @Test("S5, T5: a closed session can be reopened in the same process, and task numbers continue")
    func reopened() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            try app.send("close")
            try await app.log.wait(for: "invalidated")
            try app.send("open episodes")
            try await app.log.wait(for: "opened", count: 2)
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 2")
            await app.crash()
        }
    }

    @Test("S4: a session opened twice in a process belongs to the second object")
    func replaced() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("open episodes")
            try await app.log.wait(for: "opened", count: 2)
            try await app.log.wait(for: "invalidated")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            #expect(app.log.lines.count { $0.hasPrefix("completed 1") } == 1)
            await app.crash()
        }
    }

    @Test("L2, S6: an app in the background is called, and gets the end of its events")
    func called() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("front no")
            try await waitUntil("the app is in the background", within: 60) {
                try await fixture.row()["front"] as? Bool == false
            }
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "finished")
            #expect(app.log.lines.contains("handle episodes"))
            await app.crash()
        }
    }

    @Test("An app is identified by a name that it owns on another connection, as with toolkits")
    func otherConnection() async throws {
        try await SessionFixture.with { fixture in
            let toolkit = BusClient()
            try await toolkit.connect(address: fixture.daemon.bus.address)
            try await toolkit.own("org.example.Toolkit")
            let caller = BusClient()
            try await caller.connect(address: fixture.daemon.bus.address)
            let path = try await Self.open("episodes", by: caller)
            #expect(path?.contains("org_2eexample_2eToolkit__episodes") == true)
            // A new daemon first queries the owners of all bus names.
            try await fixture.killDaemon()
            try await fixture.waitForEndOfDaemon()
            let again = BusClient()
            try await again.connect(address: fixture.daemon.bus.address)
            #expect(try await Self.open("others", by: again)?.contains("org_2eexample_2eToolkit__others") == true)
            for client in [toolkit, caller, again] { await client.close() }
        }
    }

    private static func open(_ identifier: String, by client: BusClient) async throws -> String? {
        let reply = try await client.call(
            "OpenSession", [.dictionary(["identifier": .string(identifier)]), .dictionary([:])],
            type: "(a{sv}a{sv})")
        return reply.first?.dictionary?["path"]?.string
    }

    @Test("Calls to other apps' sessions and invalid calls are rejected by name")
    func rawCalls() async throws {
        try await SessionFixture.with { fixture in
            let (one, two) = (BusClient(), BusClient())
            for (client, name) in [(one, "org.example.One"), (two, "org.example.Two")] {
                try await client.connect(address: fixture.daemon.bus.address)
                try await client.own(name)
            }
            let path = try #require(try await Self.open("episodes", by: one))
            func call(_ method: String, _ arguments: [VariantValue], _ type: String, by client: BusClient) async throws
            {
                _ = try await client.call(
                    method, of: TransferBusName.sessionInterface, arguments, type: type, at: path)
            }
            let cancel = VariantValue.dictionary(["order": .string("cancel"), "task": .integer(1)])
            try await call("Post", [cancel], "(a{sv})", by: one)
            // For another app, the session does not exist.
            await #expect(throws: BusClientError.self) { try await call("Post", [cancel], "(a{sv})", by: two) }
            await #expect(throws: BusFault.self) { try await call("Post", [.dictionary([:])], "(a{sv})", by: one) }
            await #expect(throws: BusFault(.badIdentifier, "a session identifier has 1 to 255 bytes, not 0")) {
                _ = try await Self.open("", by: one)
            }
            try await call("Close", [], "()", by: one)
            do {
                try await call("Acknowledge", [.integer(8)], "(x)", by: one)
                Issue.record("the call was accepted")
            } catch let fault as BusFault { #expect(fault.code == .noSuchSession) }
            for client in [one, two] { await client.close() }
        }
    }

    @Test("L5: a daemon that stays unreachable ends the session with an explanation")
    func givingUp() async throws {
        let bus = try await PrivateBus()
        let daemon = try await SessionFixture.daemonWithoutActivation(on: bus)
        let log = AppLog(path: daemon.folder.path + "/app.log")
        let app = try FixtureProcess(
            [SessionFixture.program, log.path, "--give-up", "2", "--session", "episodes"],
            environment: bus.sessionEnvironment)
        try await log.wait(for: "opened")
        daemon.process.end()
        #expect(try await log.wait(for: "invalidated").contains("transferctl service"))
        try await app.wait(within: 60)
        await app.end()
        await bus.end()
    }
}
