// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import SessionHarnesses
import Testing
import TransferBusClient
import TransferBusProtocol
import TransferTesting

@Suite(
    "C10: secrets end with the transfer",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SecretsTests {
    /// A unique secret for each source from which a secret can enter.
    private static func secret(_ source: String) -> String { "s3cret-\(source)-7f1c" }

    private static let sources = [
        "user", "password", "query", "header", "session", "token", "own-password", "own-header", "own-query",
    ]

    /// Finds the sources whose secrets are in the files below a folder, and adds each file's name.
    private func found(below folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.flatMap { name -> [String] in
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { return [] }
            return Self.sources.filter { data.range(of: Data(Self.secret($0).utf8)) != nil }.map { "\($0) in \(name)" }
        }.sorted()
    }

    @Test("S3, T8: none of the daemon's files has a secret after the next upkeep, even before apps learn of the end")
    func everywhere() async throws {
        let (nginx, server, bus) = (try await NginxServer(), try ConformanceServer(), try await PrivateBus())
        defer { server.stop() }
        try nginx.serve("file", bytes: 1000)
        let folder = try TemporaryFolder()
        let state = folder.path + "/state"
        try FileManager.default.createDirectory(
            atPath: folder.path + "/config/transferd", withIntermediateDirectories: true)
        try "log-level = \"trace\"\n".write(
            toFile: folder.path + "/config/transferd/config.toml", atomically: true, encoding: .utf8)
        let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }.merging([
            "XDG_STATE_HOME": state, "XDG_CONFIG_HOME": folder.path + "/config",
            "XDG_CACHE_HOME": folder.path + "/cache",
        ]) { $1 }
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let log = state + "/log"
        let daemon = try ChildProcess(DaemonFixture.daemonPath, [], environment: environment, output: log)
        defer { daemon.end() }
        try await waitForText("on the bus", in: log)
        let client = BusClient()
        try await client.connect(address: bus.address)
        try await client.own("org.example.Secretive")
        func transferctl(_ word: String) async throws {
            let run = try ChildProcess(Transferctl.path, [word], environment: environment, output: folder.path + "/ctl")
            #expect(try await run.wait(within: 60) == 0)
        }
        try await transferctl("hold")

        let address = nginx.url("file")
        let session = try await open(by: client)
        try await post(to: session, by: client, address: address)
        try await submit(
            by: client, address: server.address(.login(user: "me", password: Self.secret("own-password"), 9)))
        let app = try FixtureProcess(
            [SessionFixture.program, folder.path + "/app.log", "--session", "s", "--token", Self.secret("token")],
            environment: environment)
        let appLog = AppLog(path: folder.path + "/app.log")
        try await appLog.wait(for: "opened")
        try app.send("download \(server.address(.token(Self.secret("token"), 9)))")
        try await appLog.wait(for: "submitted 1")
        // All secrets except for the token, which no server has requested yet.
        let expected = Set(Self.sources).subtracting(["token"])
        // The daemon's first backup may be older than some of the secrets, and the next backup is due in a day. The
        // test therefore removes the backup, and a commit makes the daemon write another.
        let backup = state + "/transferd/queue.sqlite.backup"
        var saved: [String] = []
        for _ in 0..<8 where !expected.isSubset(of: saved) {
            _ = try? FileManager.default.removeItem(atPath: backup)
            try await submit(
                by: client, address: server.address(.login(user: "me", password: Self.secret("own-password"), 9)))
            try? await waitUntil("the secrets are in the queue's backup", within: 15) {
                saved = found(below: state).filter { $0.hasSuffix("transferd/queue.sqlite.backup") }
                    .compactMap { $0.split(separator: " ").first.map(String.init) }
                return expected.isSubset(of: saved)
            }
        }
        try #require(expected.isSubset(of: saved), "the backup lacks some secrets: \(saved)")
        try await transferctl("release")
        try await appLog.wait(for: "completed 1 0")
        try await waitUntil("all transfers have ended", within: 120) {
            let rows = try await client.call("List", [.dictionary(["ended": .integer(0)])], type: "(a{sv})")
            return rows.first?.items.isEmpty == true
        }
        var left: [String] = []
        do {
            try await waitUntil("no secret is left", within: 120) {
                left = found(below: state)
                return left.isEmpty
            }
        } catch {
            Issue.record("left: \(left)")
        }
        #expect(FileManager.default.fileExists(atPath: backup))
        await app.end()
        await client.close()
        daemon.signal(SIGTERM)
        try await daemon.wait(within: 60)
        #expect(found(below: state) == [])
        await bus.end()
    }

    private func open(by client: BusClient) async throws -> String {
        let settings: [String: VariantValue] = [
            "identifier": .string("episodes"), "headers": .dictionary(["X-Session": .string(Self.secret("session"))]),
        ]
        let reply = try await client.call(
            "OpenSession", [.dictionary(settings), .dictionary([:])], type: "(a{sv}a{sv})")
        return try #require(reply.first?.dictionary?["path"]?.string)
    }

    private func post(to session: String, by client: BusClient, address: String) async throws {
        let login = "\(Self.secret("user")):\(Self.secret("password"))@"
        let url = address.replacing("http://", with: "http://" + login) + "?q=" + Self.secret("query")
        let request: [String: VariantValue] = [
            "url": .string(url), "headers": .dictionary(["X-Key": .string(Self.secret("header"))]),
        ]
        let order: [String: VariantValue] = [
            "order": .string("submit"),
            "snapshot": .dictionary(["task": .integer(1), "request": .dictionary(request)]),
        ]
        _ = try await client.call(
            "Post", of: TransferBusName.sessionInterface, [.dictionary(order)], type: "(a{sv})", at: session)
    }

    private func submit(by client: BusClient, address: String) async throws {
        let transfer: [String: VariantValue] = [
            "url": .string(address + "?q=" + Self.secret("own-query")), "user": .string("me"),
            "password": .string(Self.secret("own-password")),
            "headers": .list([.list([.string("X-Key"), .string(Self.secret("own-header"))])]),
        ]
        _ = try await client.call("Submit", [.list([.dictionary(transfer)])], type: "(aa{sv})")
    }
}
