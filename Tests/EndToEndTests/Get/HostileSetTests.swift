// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures
import Testing

/// Rule D6 of the doors: sets whose lists or files would keep the program busy, or lead it to other servers.
@Suite("D6: sets of hostile servers")
struct HostileSetTests {
    /// Serves a repository whose list of files never ends. Each page is preceded by a pause and has `padding` more bytes.
    private static func endless(
        pause: UInt32 = 0, padding: Int = 0, repeats: Bool = false, _ pages: Counter = Counter()
    ) throws -> HostileServer {
        let space = [UInt8](repeating: UInt8(ascii: " "), count: padding)
        return try HostileServer { request, connection in
            guard !request.target.contains("/revision/") else {
                connection.respond("200 OK", body: "{\"sha\":\"0123456789\"}".utf8)
                return
            }
            let page = pages.next()
            connection.pause(milliseconds: pause)
            let next = "http://\(request.value("host") ?? "")/api/models/o/m/tree/0?page=\(repeats ? 0 : page)"
            let list = "[{\"type\":\"file\",\"path\":\"f\(page)\",\"size\":1}]"
            connection.respond("200 OK", ["Link: <\(next)>; rel=\"next\""], body: Array(list.utf8) + space)
        }
    }

    @Test("A list of pages without an end ends with an error", arguments: [(0, true), (15 << 20, false)])
    func endlessPages(padding: Int, repeats: Bool) async throws {
        let server = try Self.endless(padding: padding, repeats: repeats)
        defer { server.stop() }
        let program = try Transferctl(environment: ["HF_ENDPOINT": server.url("")])
        let (status, run) = try await program.run(["get", "--set", "hf:o/m", "-d", program.downloads + "/m"])
        #expect(status == 2)
        #expect(run.errors.contains(repeats ? "hf:o/m: the list has no end" : "larger than 67.1 MB"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads).isEmpty)
    }

    @Test("SIGTERM ends the reading of pages, quick or slow", arguments: [0, 20_000] as [UInt32])
    func signaledPages(pause: UInt32) async throws {
        let pages = Counter()
        let server = try Self.endless(pause: pause, pages)
        defer { server.stop() }
        let program = try Transferctl(environment: ["HF_ENDPOINT": server.url("")])
        let run = try program.start(["get", "--set", "hf:o/m", "-d", program.downloads + "/m"])
        try await waitUntil("pages are read", within: 60) { pages.count >= (pause == 0 ? 3 : 1) }
        run.process.signal(SIGTERM)
        try await run.process.wait(within: 5)
        #expect(run.process.exitStatus == 143, "\(run.errors)")
        #expect(run.errors.contains("interrupted: "), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads).isEmpty)
    }

    @Test("SIGTERM ends the reading of files that are there already")
    func signaledHashing() async throws {
        let program = try Transferctl()
        let folder = program.downloads + "/big"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Without blocks on the disk, and too large to be read within the limit.
        let size = 1 << 40
        #expect(FileManager.default.createFile(atPath: folder + "/zeros", contents: nil))
        #expect(truncate(folder + "/zeros", size) == 0)
        let list = program.folder.path + "/big.meta4"
        let digest = String(repeating: "0", count: 64)
        let file = "<file name='zeros'><size>\(size)</size><hash type='sha-256'>\(digest)</hash>"
        try "<metalink>\(file)<url>http://127.0.0.1:9/zeros</url></file></metalink>"
            .write(toFile: list, atomically: true, encoding: .utf8)
        let run = try program.start(["get", "--set", list, "-d", folder])
        try await waitUntil("the file is read", within: 60) {
            let files = "/proc/\(run.process.id)/fd/"
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
            return numbers.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: files + $0)) == folder + "/zeros"
            }
        }
        run.process.signal(SIGTERM)
        try await run.process.wait(within: 5)
        #expect(run.process.exitStatus == 143, "\(run.errors)")
        #expect(run.errors.contains("interrupted: run the same command again"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["zeros"])
    }

    @Test("A list of a public server names no server of this machine, unless the user allows it")
    func localServers() async throws {
        // The server is the proxy for the public address of the list.
        let server = try HostileServer { request, connection in
            let list = "<metalink><file name='f'><url>http://\(request.value("host") ?? "")/f</url></file></metalink>"
            let local = list.replacing("203.0.113.5", with: "127.0.0.1:9")
            connection.respond("200 OK", body: Array((request.target.hasSuffix(".meta4") ? local : "file").utf8))
        }
        defer { server.stop() }
        let program = try Transferctl(environment: ["no_proxy": "", "NO_PROXY": ""])
        let arguments = [
            "get", "--proxy", server.url(""), "--set", "http://203.0.113.5/all.meta4", "-d", program.downloads + "/all",
        ]
        let refused = try await program.run(arguments)
        #expect(refused.status == 2)
        let message = "the file 'f' is to come from 127.0.0.1:9, which is on this machine or its network"
        #expect(refused.run.errors.contains(message), "\(refused.run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads).isEmpty)
        let allowed = try await program.run(arguments + ["--allow-local-redirects"])
        #expect(allowed.status == 0, "\(allowed.run.errors)")
        #expect(FileManager.default.contents(atPath: program.downloads + "/all/f") == Data("file".utf8))
    }
}
