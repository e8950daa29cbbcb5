// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import LinuxKernel
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of TLS: tunnels through proxies, and connections that are cut off.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct SecureTests {
        private static let file = ServedFile(bytes: ServedFile.content(2_000_000))

        /// Runs the body with a TLS server and an executor that trusts the server's authority.
        private func run(
            proxy: String? = nil, handler: @escaping HostileServer.Handler,
            _ body: (ExecutorFixture, HostileServer) async throws -> Void
        ) async throws {
            let authority = try HostileAuthority()
            var options = HostileServerOptions()
            options.certificate = try authority.certificate()
            let server = try HostileServer(options: options, handler: handler)
            defer { server.stop() }
            let pem = NSTemporaryDirectory() + "transfer-authority-\(UUID().uuidString).pem"
            try authority.pem.write(toFile: pem, atomically: true, encoding: .utf8)
            defer { unlink(pem) }
            let fixture = try ExecutorFixture {
                $0.caFile = pem
                $0.proxy = proxy
            }
            do {
                try await body(fixture, server)
            } catch {
                await fixture.executor.shutdown()
                throw error
            }
            await fixture.executor.shutdown()
            try? FileManager.default.removeItem(atPath: fixture.root)
        }

        /// The manner in which a TLS connection ends.
        enum Cut: String, CaseIterable { case length, chunked, broken }

        @Test(
            "A TLS connection that ends early is lost, not a failed handshake, and the bytes are kept",
            arguments: Cut.allCases)
        func lost(_ cut: Cut) async throws {
            try await run(handler: { request, connection in
                let frame = cut == .chunked ? "Transfer-Encoding: chunked" : "Content-Length: 2000000"
                connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\(frame)\r\n\r\n")
                let part = Self.file.bytes.prefix(1_000_000)
                if cut == .chunked { connection.sendChunk(part) } else { connection.send(part) }
                if cut == .broken {
                    // Bytes that are on the wire arrive first.
                    connection.pause(milliseconds: 300)
                    connection.reset()
                } else {
                    connection.cut()
                }
            }) { fixture, server in
                let outcome = await fixture.fetch(server.url("/f"))
                #expect(outcome.failure?.cause == .connection, "\(outcome)")
                #expect(outcome.resume?.offset == 1_000_000)
            }
        }

        @Test(
            "A body without a length is complete with a TLS closing message; without it, only a checksum detects a cut")
        func goodbye() async throws {
            try await run(handler: { request, connection in
                let isCut = request.target == "/cut"
                connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\r\n")
                connection.send(isCut ? Self.file.bytes.dropLast() : Self.file.bytes[...])
                if isCut { connection.cut() } else { connection.finish() }
            }) { fixture, server in
                #expect(fixture.contents(await fixture.fetch(server.url("/whole"))) == Self.file.bytes)
                // libcurl tells OpenSSL to accept every end of a connection (SSL_OP_IGNORE_UNEXPECTED_EOF), because
                // many servers send no closing message. Only the size or a digest reveals such a cut.
                #expect(fixture.contents(await fixture.fetch(server.url("/cut"))) == Self.file.bytes.dropLast())
                var specification = fixture.specification(server.url("/cut"))
                specification.checksum = Checksum(algorithm: .sha256, hexDigest: String(repeating: "0", count: 64))
                let outcome = await fixture.run(specification).0
                #expect(outcome.failure?.cause == .checksumMismatch, "\(outcome)")
            }
        }

        @Test(
            "A transfer may accept any certificate; other transfers with the same server still refuse it",
            arguments: HostileAuthority.Fault.allCases)
        func unverified(_ fault: HostileAuthority.Fault) async throws {
            var options = HostileServerOptions()
            options.certificate = try HostileAuthority().certificate(fault)
            let server = try HostileServer(options: options) { Self.file.serve($0, $1) }
            defer { server.stop() }
            let fixture = try ExecutorFixture { _ in }
            for isUnverified in [true, false, true, false] {
                var specification = fixture.specification(server.url("/f"))
                specification.acceptsAnyCertificate = isUnverified
                let outcome = await fixture.run(specification).0
                if isUnverified {
                    #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
                } else {
                    #expect(outcome.failure?.cause == .certificate, "\(outcome)")
                }
            }
            await fixture.executor.shutdown()
            try? FileManager.default.removeItem(atPath: fixture.root)
        }

        @Test("https works through a proxy's tunnel for downloads and uploads, with and without a proxy login")
        func tunnel() async throws {
            for user in [nil, "me@home"] as [String?] {
                let tunnels = ConnectProxy(user: user, password: "p:a/ss")
                let proxy = try HostileServer { tunnels.serve($0, $1) }
                defer { proxy.stop() }
                let login = user == nil ? "" : "me%40home:p%3Aa%2Fss@"
                let url = proxy.url("").replacing("http://", with: "http://" + login)
                let received = Received()
                try await run(
                    proxy: url,
                    handler: { request, connection in
                        guard request.method == "PUT" else { return Self.file.serve(request, connection) }
                        if received.readBody(request, connection) { connection.respond("201 Created") }
                    }
                ) { fixture, server in
                    let outcome = await fixture.fetch(server.url("/f"))
                    #expect(fixture.contents(outcome) == Self.file.bytes, "\(user ?? "no user"): \(outcome)")
                    let bytes = ExecutorFixture.blocks(1)
                    let (sent, _) = await fixture.run(try fixture.upload(bytes, to: server.url("/u")))
                    #expect(sent.completion?.status == 201, "\(user ?? "no user"): \(sent)")
                    expectSame(received.bodies, [bytes])
                    // The proxy's login is only for the proxy.
                    #expect(server.requests.allSatisfy { $0.value("Proxy-Authorization") == nil })
                }
                #expect(tunnels.tunnels > 0)
                #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
            }
        }
    }
}
