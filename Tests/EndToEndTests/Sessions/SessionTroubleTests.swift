// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import ConditionRigs
import Foundation
import GLibBridge
import HostileServer
import Synchronization
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Background sessions when things go wrong", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionTroubleTests {
    @Test("L5, E4: the daemon is killed again and again; each download ends once, and none is lost")
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
        try await SessionRig.with { rig in
            for number in 1...40 { try rig.server.serve("\(number)", bytes: 20_000 * number) }
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            for number in 1...40 {
                try app.send("download \(rig.server.url("\(number)"))")
                guard number.isMultiple(of: 5) else { continue }
                usleep(UInt32(next(below: 400_000)))
                try rig.killDaemon()
            }
            for number in 1...40 { try app.log.wait(for: "completed \(number) 0", within: 180) }
            try app.send("tasks")
            #expect(try app.log.wait(for: "tasks") == "tasks")
            let lines = app.log.lines
            for number in 1...40 {
                #expect(lines.count { $0.hasPrefix("downloaded \(number) \(20_000 * number) ") } == 1)
                #expect(lines.count { $0.hasPrefix("completed \(number) ") } == 1)
            }
            await app.crash()
        }
    }

    @Test("L2: an app that is stopped has not failed: it is not started, and hears of everything once it goes on")
    func stopped() async throws {
        try await SessionRig.with(rate: 2_000_000) { rig in
            try rig.server.serve("episode", bytes: 4_000_000)
            let app = try rig.app("app", "--session", "episodes", "--relaunch")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "received 1")
            kill(app.process.id, SIGSTOP)
            try waitUntil("the events wait", within: 60) { try rig.row()["waiting-events"] as? Int == 3 }
            #expect(try rig.row()["launches"] as? Int == 0)
            kill(app.process.id, SIGCONT)
            try app.log.wait(for: "completed 1 0")
            try waitUntil("they are dealt with", within: 60) { try rig.row()["waiting-events"] as? Int == 0 }
            await app.crash()
        }
    }

    @Test("T2: a task that the daemon refuses ends with an error that says why")
    func refused() async throws {
        try await SessionRig.with { rig in
            try FileManager.default.createDirectory(
                atPath: rig.daemon.program.folder.path + "/config/transferd", withIntermediateDirectories: true)
            try "open-per-app = 1\n".write(
                toFile: rig.daemon.program.folder.path + "/config/transferd/config.toml", atomically: true,
                encoding: .utf8)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("later 3600 \(rig.server.url("a"))")
            try app.log.wait(for: "submitted 1")
            // The daemon counts the task once the engine has reported it.
            try waitUntil("it is counted", within: 60) { try rig.row()["open"] as? Int == 1 }
            try app.send("later 3600 \(rig.server.url("b"))")
            try app.log.wait(for: "completed 2 -1")
            try app.send("tasks")
            #expect(try app.log.wait(for: "tasks") == "tasks 1:0")
            await app.crash()
        }
    }

    @Test(
        "C5, E8: the server gets an upload's bytes, and its answer comes as a body; a file may be gone when its turn comes"
    )
    func upload() async throws {
        let bodies = Mutex<[[UInt8]]>([])
        let server = try HostileServer { request, connection in
            guard let body = connection.readBody(of: request) else { return }
            guard request.method == "POST" else {
                // The client asks whether the server can resume an interrupted upload.
                connection.answer("204 No Content", ["Allow: POST"])
                return
            }
            bodies.withLock { $0.append(body) }
            connection.answer("201 Created", body: "got \(body.count) by \(request.method)".utf8)
        }
        defer { server.stop() }
        try await SessionRig.with { rig in
            let file = rig.daemon.program.folder.path + "/upload"
            try RandomFile.write(file, bytes: 100_000, seed: 3)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("upload \(file) \(server.url("/inbox"))")
            try app.log.wait(for: "completed 1")
            #expect(
                app.log.events == [
                    "opened episodes", "responded 1 201", "body 1 got 100000 by POST", "completed 1 0",
                ])
            let sent = try Data(contentsOf: URL(fileURLWithPath: file))
            let isWhole = bodies.withLock { $0 == [Array(sent)] }
            #expect(isWhole, "the server got other bytes")
            // The file exists when the upload is submitted, but not when the upload starts.
            try rig.daemon.run("hold")
            try app.send("upload \(file) \(server.url("/inbox"))")
            try app.log.wait(for: "submitted 2")
            try FileManager.default.removeItem(atPath: file)
            try rig.daemon.run("release")
            try app.log.wait(for: "completed 2")
            #expect(app.log.events.last == "completed 2 0")
            let isWholeAgain = bodies.withLock { $0 == [Array(sent), Array(sent)] }
            #expect(isWholeAgain, "the server got other bytes")
            await app.crash()
        }
    }

    @Test("S5, T5: a session that is closed can be made again in the same process, and its numbers go on")
    func reopened() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            try app.send("close")
            try app.log.wait(for: "invalidated")
            try app.send("open episodes")
            try app.log.wait(for: "opened", count: 2)
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 2")
            await app.crash()
        }
    }

    @Test("S4: a session that is made a second time in a process is the second one's")
    func takenOver() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("open episodes")
            try app.log.wait(for: "opened", count: 2)
            try app.log.wait(for: "invalidated")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            #expect(app.log.lines.count { $0.hasPrefix("completed 1") } == 1)
            await app.crash()
        }
    }

    @Test("L2, S6: an app in the background is called, and told that all was told")
    func called() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("front no")
            try waitUntil("it is in the background", within: 60) { try rig.row()["front"] as? Bool == false }
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "finished")
            #expect(app.log.lines.contains("handle episodes"))
            await app.crash()
        }
    }

    @Test("An app is known by a name that it owns on another connection, as toolkits do")
    func otherConnection() async throws {
        try await SessionRig.with { rig in
            let toolkit = BusClient()
            try await toolkit.connect(address: rig.daemon.bus.address)
            try await toolkit.own("org.example.Toolkit")
            let caller = BusClient()
            try await caller.connect(address: rig.daemon.bus.address)
            let path = try await Self.open("episodes", by: caller)
            #expect(path?.contains("org_2eexample_2eToolkit__episodes") == true)
            // A new daemon first asks the bus for the owners of all names.
            try rig.killDaemon()
            try rig.waitForEndOfDaemon()
            let again = BusClient()
            try await again.connect(address: rig.daemon.bus.address)
            #expect(try await Self.open("others", by: again)?.contains("org_2eexample_2eToolkit__others") == true)
            for client in [toolkit, caller, again] { await client.close() }
        }
    }

    private static func open(_ identifier: String, by client: BusClient) async throws -> String? {
        let answer = try await client.call(
            "OpenSession", [.dictionary(["identifier": .string(identifier)]), .dictionary([:])],
            type: "(a{sv}a{sv})")
        return answer.first?.dictionary?["path"]?.string
    }

    @Test("What is not the caller's session, or makes no sense, is refused by its name")
    func rawCalls() async throws {
        try await SessionRig.with { rig in
            let (one, two) = (BusClient(), BusClient())
            for (client, name) in [(one, "org.example.One"), (two, "org.example.Two")] {
                try await client.connect(address: rig.daemon.bus.address)
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
            await #expect(throws: BusFault(.badIdentifier, "a session's identifier has 1 to 255 bytes, not 0")) {
                _ = try await Self.open("", by: one)
            }
            try await call("Close", [], "()", by: one)
            do {
                try await call("Acknowledge", [.integer(8)], "(x)", by: one)
                Issue.record("it was taken")
            } catch let fault as BusFault { #expect(fault.code == .noSuchSession) }
            for client in [one, two] { await client.close() }
        }
    }

    @Test("L5: a daemon that cannot be reached for long ends the session with a word that says so")
    func givingUp() async throws {
        let bus = try await PrivateBus()
        let daemon = try await SessionRig.daemonWithoutActivation(on: bus)
        let log = AppLog(path: daemon.folder.path + "/app.log")
        let app = try RigProcess(
            [SessionRig.program, log.path, "--give-up", "2", "--session", "episodes"],
            environment: bus.sessionEnvironment)
        try log.wait(for: "opened")
        daemon.process.end()
        #expect(try log.wait(for: "invalidated").contains("transferctl service"))
        try waitUntil("an app without a session ends", within: 60) { !app.isRunning }
        await app.end()
        await bus.end()
    }
}
