// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures
import Synchronization
import Testing

/// Tests of `transferctl put`, run as a user runs it.
@Suite(
    "transferctl put, end to end",
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct PutTests {
    private func source(_ program: Transferctl, bytes: Int = 3_000_000, name: String = "file.bin") throws -> String {
        let path = program.folder.path + "/" + name
        try RandomFile.write(path, bytes: bytes, seed: 7)
        return path
    }

    @Test(
        "the file is stored in a real server's folder under its name",
        .enabled(if: NginxServer.acceptsUploads, "nginx is built without its DAV module"))
    func arrives() async throws {
        let server = try await NginxServer()
        let program = try Transferctl()
        let path = try source(program, name: "my file.bin")
        let first = try await program.run(["put", path, server.url("dav/")])
        #expect(first.status == 0, "\(first.run.errors)")
        #expect(first.run.errors.contains("uploaded, the server answered 201"), "\(first.run.errors)")
        #expect(RandomFile.same(server.folder.path + "/www/dav/my file.bin", path))
        // A second request for the same upload sends the file again.
        let second = try await program.run(["put", "--json", path, server.url("dav/")])
        #expect(second.status == 0)
        let last = try #require(second.run.events.last)
        #expect(last.name == "finished")
        #expect(last.fields["status"] as? Int == 204)
        #expect(last.fields["bytes"] as? Int == 3_000_000)
        #expect(server.requests().filter { $0.method == "PUT" }.count == 2)
    }

    @Test("the response goes to standard output, to -o FILE, or into the JSON event; 404 is a failure")
    func responses() async throws {
        let server = try HostileServer { request, connection in
            guard connection.readBody(of: request) != nil else { return }
            let status = request.target == "/lost" ? "404 Not Found" : "200 OK"
            connection.respond(status, ["Content-Type: text/plain"], body: "the answer\n".utf8)
        }
        defer { server.stop() }
        let program = try Transferctl()
        let path = try source(program)
        let plain = try await program.run(["put", "--method", "post", "--no-resume", path, server.url("/x")])
        #expect(plain.status == 0, "\(plain.run.errors)")
        #expect(plain.run.output == "the answer\n")
        let target = program.folder.path + "/answer"
        let written = try await program.run(["put", "-o", target, path, server.url("/x")])
        #expect(written.run.output.isEmpty)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "the answer\n")
        let lost = try await program.run(["put", "--json", path, server.url("/lost")])
        #expect(lost.status == 1)
        let event = try #require(lost.run.events.last)
        #expect(event.name == "failed")
        let response = event.fields["response"] as? [String: Any]
        #expect(response?["body"] as? String == "the answer\n")
        #expect(response?["contentType"] as? String == "text/plain")
    }

    @Test("after SIGKILL in the middle, the same command continues at the server's offset")
    func goesOnAfterAKill() async throws {
        let draft = DraftUploadServer()
        let isSlow = Mutex(true)
        let hasPart = Mutex(false)
        let server = try HostileServer { request, connection in
            if request.method == "PUT", isSlow.withLock({ $0 }) {
                let fields = ["Upload-Draft-Interop-Version: 8", "Location: /uploads/1"]
                connection.send(
                    (["HTTP/1.1 104 Upload Resumption Supported"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
                draft.uploads.begin(length: request.contentLength ?? 0, with: connection.readBytes(20_000_000))
                hasPart.withLock { $0 = true }
                // The server reads nothing more, so the kill comes in the middle of the upload.
                while !connection.isEnded, isSlow.withLock({ $0 }) { connection.pause(milliseconds: 5) }
                connection.reset()
            } else {
                draft.serve(request, connection)
            }
        }
        defer { server.stop() }
        let program = try Transferctl()
        let path = try source(program, bytes: 64 << 20)
        let run = try program.start(["put", "--json", path, server.url("/x")])
        try await run.event("progress in the middle", within: 60) { ($0.fields["bytes"] as? Int ?? 0) > 10_000_000 }
        // The client's count exceeds the server's part by what the kernel buffers.
        try await waitUntil("the server has its part", within: 60) { hasPart.withLock { $0 } }
        run.process.signal(SIGKILL)
        try await run.process.wait(within: 60)
        isSlow.withLock { $0 = false }
        let last = try await program.run(["put", path, server.url("/x")])
        #expect(last.status == 0, "\(last.run.errors)")
        #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PATCH"])
        #expect(server.requests.last?.value("Upload-Offset") == "20000000")
        #expect(draft.uploads.complete == [Array(try Data(contentsOf: URL(fileURLWithPath: path)))])
    }
}
