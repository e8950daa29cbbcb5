// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import HostileServer
import Testing

/// Tests of file names from a hostile server, which must do no harm to the user's files.
@Suite("file names from servers, end to end", .timeLimit(.minutes(3)))
struct ServerNameTests {
    /// Starts a server that names each file `mine.txt`.
    private func server() throws -> HostileServer {
        try HostileServer { _, connection in
            connection.respond(
                "200 OK", ["Content-Disposition: attachment; filename=mine.txt"], body: Array("theirs".utf8))
        }
    }

    private func write(_ name: String, in program: Transferctl) throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: program.downloads + "/" + name))
    }

    private func text(_ name: String, in program: Transferctl) -> String? {
        FileManager.default.contents(atPath: program.downloads + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("C8: get --overwrite replaces files named by the user or the URL, never files named only by the server")
    func get() async throws {
        let server = try server()
        defer { server.stop() }
        let program = try Transferctl()
        try write("mine.txt", in: program)
        let served = try await program.run(["get", "--overwrite", server.url("/theirs.txt")])
        #expect(served.status == 0, "\(served.run.errors)")
        #expect(served.run.output == program.downloads + "/mine (1).txt\n")
        #expect(text("mine.txt", in: program) == "mine")
        let named = try await program.run(["get", "--overwrite", "-o", "mine.txt", server.url("/other.txt")])
        #expect(named.run.output == program.downloads + "/mine.txt\n", "\(named.run.errors)")
        #expect(text("mine.txt", in: program) == "theirs")
    }
}
