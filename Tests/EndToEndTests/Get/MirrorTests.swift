// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import HostileServer
import ProcessFixtures
import Testing

/// Files with several URLs, with the whole programs.
@Suite("D4: mirrors")
struct MirrorTests {
    private static let file = ServedFile(bytes: ServedFile.content(300_000))

    /// Runs the body with a server without the file, one that closes each connection, and one that has the file.
    private func serve(_ body: (HostileServer, HostileServer, HostileServer) async throws -> Void) async throws {
        let lacking = try HostileServer { _, connection in connection.respond("404 Not Found") }
        let dead = try HostileServer { _, connection in connection.cut() }
        let good = try HostileServer { Self.file.serve($0, $1) }
        let result: Result<Void, any Error>
        do { result = .success(try await body(lacking, dead, good)) } catch { result = .failure(error) }
        for server in [lacking, dead, good] { server.stop() }
        try result.get()
    }

    @Test("get tries the URLs in order, names the file after the first, and sends secrets only to the first server")
    func get() async throws {
        try await serve { lacking, dead, good in
            let program = try Transferctl()
            let (status, run) = try await program.run([
                "get", "--user", "me:pa55", "-H", "X-Key: k", "-A", "agent", lacking.url("/name.iso"), "--mirror",
                dead.url("/b"), "--mirror", good.url("/c"),
            ])
            #expect(status == 0, "\(run.errors)")
            #expect(run.errors.contains("The server answered 404; trying the next mirror"), "\(run.errors)")
            #expect(FileManager.default.contents(atPath: program.downloads + "/name.iso") == Data(Self.file.bytes))
            #expect(lacking.requests.first?.value("X-Key") == "k")
            #expect(good.requests.allSatisfy { $0.value("X-Key") == nil && $0.value("Authorization") == nil })
            #expect(good.requests.first?.value("User-Agent") == "agent")
            let two = try await program.run(["get", lacking.url("/a"), lacking.url("/b"), "--mirror", good.url("/c")])
            #expect(two.status == 2 && two.run.errors.contains("--mirror requires a single URL"))
        }
    }

    @Test("A list of URLs on a line, and aria2c's list, are mirrors too")
    func lists() async throws {
        try await serve { lacking, _, good in
            let program = try Transferctl()
            let list = program.folder.path + "/list"
            try "\(lacking.url("/x"))\t\(good.url("/y"))\tout=own\n".write(
                toFile: list, atomically: true, encoding: .utf8)
            #expect(try await program.run(["get", "-i", list]).status == 0)
            #expect(FileManager.default.contents(atPath: program.downloads + "/own") == Data(Self.file.bytes))
            let all = lacking.url("/f")
            #expect(try await program.run(["get", all, "--mirror", lacking.url("/g")]).status == 1)
        }
    }
}
