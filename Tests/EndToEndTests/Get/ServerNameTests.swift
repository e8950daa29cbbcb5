// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import HostileServer
import Testing

/// Tests of file names from a hostile server, which must do no harm to the user's files.
@Suite("names that a server gives, end to end", .serialized, .timeLimit(.minutes(3)))
struct ServerNameTests {
    /// Starts a server that names each file `mine.txt`, or gives a name that reverses the reading direction.
    private func server() throws -> HostileServer {
        try HostileServer { request, connection in
            let name = request.target == "/turned" ? "report%E2%80%AEtxt.exe%1B%5B2J" : "mine.txt"
            connection.answer(
                "200 OK", ["Content-Disposition: attachment; filename*=UTF-8''\(name)"], body: Array("theirs".utf8))
        }
    }

    private func write(_ name: String, in program: Transferctl) throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: program.downloads + "/" + name))
    }

    private func text(_ name: String, in program: Transferctl) -> String? {
        FileManager.default.contents(atPath: program.downloads + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("C8: get --overwrite replaces what the person or the URL names, never what only the server names")
    func get() throws {
        let server = try server()
        defer { server.stop() }
        let program = try Transferctl()
        try write("mine.txt", in: program)
        let served = try program.run(["get", "--overwrite", server.url("/theirs.txt")])
        #expect(served.status == 0, "\(served.run.errors)")
        #expect(served.run.output == program.downloads + "/mine (1).txt\n")
        #expect(text("mine.txt", in: program) == "mine")
        let named = try program.run(["get", "--overwrite", "-o", "mine.txt", server.url("/other.txt")])
        #expect(named.run.output == program.downloads + "/mine.txt\n", "\(named.run.errors)")
        #expect(text("mine.txt", in: program) == "theirs")
    }

    @Test("C8: a server's name is printed and given without characters that steer")
    func turned() throws {
        let server = try server()
        defer { server.stop() }
        let program = try Transferctl()
        let run = try program.run(["get", server.url("/turned")])
        #expect(run.status == 0, "\(run.run.errors)")
        #expect(run.run.output == program.downloads + "/reporttxt.exe[2J\n")
        #expect(!run.run.errors.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }

    @Test(
        "C8: transferctl add --overwrite keeps the file that only the server names",
        .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
    func add() async throws {
        let server = try server()
        defer { server.stop() }
        let rig = try await DaemonRig()
        let result: Result<Void, any Error>
        do {
            try write("mine.txt", in: rig.program)
            try rig.run("add", "--overwrite", server.url("/theirs.txt"), "-d", rig.program.downloads, "--wait")
            #expect(text("mine.txt", in: rig.program) == "mine")
            #expect(text("mine (1).txt", in: rig.program) == "theirs")
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await rig.end()
        try result.get()
    }
}
