// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import HostileServer
import ProcessFixtures
import Synchronization
import Testing
import TransferFiles

/// Rule D6 of the doors: files that finish together or not at all, with the whole program.
@Suite("D6: sets of files")
struct FileSetTests {
    /// The contents of a set's files, by path.
    private static let files: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (0..<200).map {
            ("d\($0 % 5)/f \($0).bin", ServedFile.content(20_000 + 100 * $0, seed: UInt64($0)))
        })

    /// Four files of each folder.
    private static let few = files.filter { $0.value.count < 22_000 }

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = Digest(.sha256)
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.hexDigest
    }

    /// Serves the files. `change` may answer a request itself, and then returns `true`.
    private static func serve(
        _ change: @escaping @Sendable (HostileRequest, HostileConnection, [UInt8]?) -> Bool = { _, _, _ in false }
    ) throws -> HostileServer {
        try HostileServer { request, connection in
            let path = String(decoding: PercentCoding.decode(request.target.dropFirst()), as: UTF8.self)
            let bytes = files[path]
            if change(request, connection, bytes) { return }
            guard let bytes else {
                connection.respond("404 Not Found")
                return
            }
            ServedFile(bytes: bytes).serve(request, connection)
        }
    }

    private static func metalink(_ servers: HostileServer...) -> String {
        let list = files.map { path, bytes in
            let urls = servers.enumerated().map { number, server in
                let url = server.url("/" + path.replacing(" ", with: "%20"))
                return "<url priority='\(number + 1)'>\(url)</url>"
            }
            return "<file name='\(path)'><size>\(bytes.count)</size>"
                + "<hash type='sha-256'>\(digest(bytes))</hash>\(urls.joined())</file>"
        }
        return "<?xml version='1.0'?><metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(list.joined())</metalink>"
    }

    private func expect(_ folder: String, has files: [String: [UInt8]] = Self.files) throws {
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".bin") && !$0.hasPrefix(".") }
        #expect(Set(found) == Set(files.keys))
        for (path, bytes) in files where FileManager.default.contents(atPath: folder + "/" + path) != Data(bytes) {
            Issue.record("\(path) has other bytes")
        }
    }

    private func hiddenFolders(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
    }

    @Test("200 files over a mirror that lies and one that dies appear in one step, also after a kill")
    func mirrors() async throws {
        let liar = try Self.serve { _, connection, bytes in
            connection.respond("200 OK", body: [UInt8](repeating: 0, count: bytes?.count ?? 0))
            return true
        }
        let dying = try Self.serve { _, connection, bytes in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes?.count ?? 0)\r\n\r\n")
            connection.send([UInt8](repeating: 1, count: 1000))
            connection.cut()
            return true
        }
        let good = try Self.serve()
        defer { for server in [liar, dying, good] { server.stop() } }
        let program = try Transferctl()
        let list = program.folder.path + "/all.meta4"
        try Self.metalink(liar, dying, good).write(toFile: list, atomically: true, encoding: .utf8)
        let arguments = ["get", "--set", list, "--parallel", "8", "-d", program.downloads + "/all"]
        let run = try program.start(arguments)
        try await waitUntil("some files are there", within: 120) { good.requests.count > 20 }
        run.process.signal(SIGKILL)
        try await run.process.wait(within: 60)
        #expect(!FileManager.default.fileExists(atPath: program.downloads + "/all"))
        let staging = try #require(try hiddenFolders(in: program.downloads).first)
        let staged = try FileManager.default.subpathsOfDirectory(atPath: program.downloads + "/" + staging)
            .filter { $0.hasSuffix(".bin") }
        #expect(staged.count > 5 && staged.count < 200, "\(staged.count)")

        let requests = good.requests.count
        let (status, again) = try await program.run(arguments)
        #expect(status == 0, "\(again.errors)")
        #expect(again.output == program.downloads + "/all\n")
        #expect(again.errors.contains("all: finished, 200 files, 5.99 MB"), "\(again.errors)")
        try expect(program.downloads + "/all")
        #expect(try hiddenFolders(in: program.downloads).isEmpty)
        // Complete files are not requested again.
        #expect(good.requests.count - requests <= 200 - staged.count + 8)
        // One more run downloads nothing.
        let count = good.requests.count
        #expect(try await program.run(arguments).run.errors.contains("already complete"))
        #expect(good.requests.count == count)
    }

    @Test("A list on this machine is fetched from any number of folders; the last has all files")
    func folders() async throws {
        let lacking = try HostileServer { $1.respond("404 Not Found") }
        let good = try Self.serve()
        defer { for server in [lacking, good] { server.stop() } }
        let program = try Transferctl()
        let list = program.folder.path + "/SHA256SUMS"
        try Self.few.map { "\(Self.digest($1)) *\($0)\n" }.joined().write(
            toFile: list, atomically: true, encoding: .utf8)
        let (status, run) = try await program.run([
            "get", "--set", list, lacking.url("/x/"), lacking.url("/y"), "--mirror", good.url("/"), "-d",
            program.downloads + "/few",
        ])
        #expect(status == 0, "\(run.errors)")
        try expect(program.downloads + "/few", has: Self.few)
        #expect(lacking.requests.contains { $0.target.hasPrefix("/y/d") })
    }

    @Test("A set with a missing file changes nothing; an existing folder keeps its files, or gets all of the set's")
    func incomplete() async throws {
        let isBroken = Mutex(true)
        let server = try Self.serve { request, connection, _ in
            if request.target == "/SHA256SUMS" {
                let list = Self.few.map { "\(Self.digest($1)) *\($0)\n" }.joined()
                connection.respond("200 OK", body: list.utf8)
                return true
            }
            guard isBroken.withLock({ $0 }), request.target.hasPrefix("/d3") else { return false }
            connection.respond("410 Gone")
            return true
        }
        defer { server.stop() }
        let program = try Transferctl()
        let folder = program.downloads + "/existing"
        try FileManager.default.createDirectory(atPath: folder + "/d0", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/d0/mine"))
        let arguments = ["get", "--set", server.url("/SHA256SUMS"), "-d", folder]
        let (status, run) = try await program.run(arguments)
        #expect(status == 1)
        #expect(run.errors.contains("files are complete; run the same command again to continue"), "\(run.errors)")
        try expect(folder, has: [:])
        isBroken.withLock { $0 = false }
        #expect(try await program.run(arguments).status == 0)
        try expect(folder, has: Self.few)
        #expect(FileManager.default.contents(atPath: folder + "/d0/mine") == Data("mine".utf8))
        #expect(try hiddenFolders(in: folder).isEmpty)

        // A file that is not the set's is not replaced unless the user says so.
        let changed = folder + "/" + (Self.few.keys.sorted().first ?? "")
        try Data("changed".utf8).write(to: URL(fileURLWithPath: changed))
        let refused = try await program.run(arguments)
        #expect(refused.status == 2 && refused.run.errors.contains("--overwrite"), "\(refused.run.errors)")
        #expect(FileManager.default.contents(atPath: changed) == Data("changed".utf8))
        #expect(try await program.run(arguments + ["--overwrite"]).status == 0)
        try expect(folder, has: Self.few)
        // A link that somebody placed is not followed.
        try FileManager.default.removeItem(atPath: folder + "/d1")
        try FileManager.default.createSymbolicLink(atPath: folder + "/d1", withDestinationPath: "/tmp")
        #expect(try await program.run(arguments + ["--overwrite"]).status == 2)
    }

    @Test("hf: reads pages, waits after 429, keeps the token at its server, and filters names")
    func hub() async throws {
        let store = try Self.serve()
        let commit = String(repeating: "a", count: 40)
        let pages = Counter()
        let secrets = Mutex<[String]>([])
        let api = try HostileServer { request, connection in
            secrets.withLock { $0.append(request.value("authorization") ?? "none") }
            let origin = "http://\(request.value("host") ?? "")"
            if request.target.hasPrefix("/api/models/org/m/revision/main") {
                connection.respond("200 OK", body: "{\"sha\":\"\(commit)\"}".utf8)
            } else if request.target.hasPrefix("/api/models/org/m/tree/\(commit)") {
                if pages.next() == 1 {
                    connection.respond("429 Too Many Requests", ["Retry-After: 1"])
                    return
                }
                let page = request.target.split(separator: "page=").dropFirst().first.flatMap { Int($0) } ?? 0
                let entries = Self.files.sorted { $0.key < $1.key }.dropFirst(80 * page).prefix(80).map { path, bytes in
                    "{\"type\":\"file\",\"path\":\"\(path)\",\"size\":\(bytes.count),\"lfs\":{\"oid\":"
                        + "\"\(Self.digest(bytes))\",\"size\":\(bytes.count)}}"
                }
                let list = "[{\"type\":\"directory\",\"path\":\"d1\"},\(entries.joined(separator: ","))]"
                let next =
                    "Link: <\(origin)/api/models/org/m/tree/\(commit)?recursive=true&page=\(page + 1)>; rel=\"next\""
                connection.respond("200 OK", page < 2 ? [next] : [], body: list.utf8)
            } else {
                let path = request.target.replacing("/org/m/resolve/\(commit)/", with: "/")
                connection.respond("302 Found", ["Location: \(store.url(path))"])
            }
        }
        defer {
            api.stop()
            store.stop()
        }
        let program = try Transferctl(environment: ["HF_ENDPOINT": api.url(""), "HF_TOKEN": "s3cret"])
        let (status, run) = try await program.run(["get", "--set", "hf:org/m:d[12]/*", "-d", program.downloads + "/m"])
        #expect(status == 0, "\(run.errors)")
        try expect(
            program.downloads + "/m", has: Self.files.filter { $0.key.hasPrefix("d1") || $0.key.hasPrefix("d2") })
        #expect(secrets.withLock { $0.allSatisfy { $0 == "Bearer s3cret" } })
        #expect(!store.requests.isEmpty && store.requests.allSatisfy { $0.value("authorization") == nil })
        #expect(!run.errors.contains("s3cret"))
    }

    @Test(
        "Lists with faults are refused by name, and leave nothing",
        arguments: [
            ("<!DOCTYPE a [<!ENTITY x 'y'>]><metalink/>", "document types and entities"),
            ("<metalink version='3.0'><files/></metalink>", "not a Metalink 4 document"),
            ("<metalink><file name='../x'><url>http://h/x</url></file></metalink>", "outside the folder"),
            ("<metalink><file name='/etc/x'><url>http://h/x</url></file></metalink>", "absolute path"),
            ("<metalink><file name='a'><url>ftp://h/x</url></file></metalink>", "no http or https URL"),
            ("<metalink><file name='a'><size>-1</size><url>http://h/x</url></file></metalink>", "size '-1'"),
            ("<metalink><file name='a'><url>http://h/x</url></file>", "not valid XML"),
            (
                "<metalink><file name='a'><url>http://h/x</url></file><file name='a/b'><url>http://h/x</url></file></metalink>",
                "both a file and a folder"
            ),
            ("<metalink></metalink>", "names no file"), ("0123  f\n", ":1: not a line of SHA256SUMS"),
        ])
    func faults(list: String, message: String) async throws {
        let program = try Transferctl()
        let path = program.folder.path + "/list"
        try list.write(toFile: path, atomically: true, encoding: .utf8)
        let base = list.hasPrefix("<") ? [] : ["http://127.0.0.1:9/"]
        let (status, run) = try await program.run(["get", "--set", path, "-d", program.downloads + "/x"] + base)
        #expect(status == 2 && run.errors.contains(message), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.downloads).isEmpty)
    }
}
