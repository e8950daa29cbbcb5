// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures
import Testing

/// Tests of https through a proxy's tunnel, with the whole program.
@Suite("transferctl through a proxy, end to end")
struct ProxyTests {
    private static let file = ServedFile(bytes: ServedFile.content(3_000_000))

    @Test("https uses the tunnel with the proxy's credentials; wrong credentials name the proxy")
    func tunnel() async throws {
        let authority = try HostileAuthority()
        var options = HostileServerOptions()
        options.certificate = try authority.certificate()
        let server = try HostileServer(options: options) { Self.file.serve($0, $1) }
        defer { server.stop() }
        let tunnels = ConnectProxy(user: "me", password: "p@ss")
        let proxy = try HostileServer { tunnels.serve($0, $1) }
        defer { proxy.stop() }
        let program = try Transferctl()
        let pem = program.folder.path + "/authority.pem"
        try authority.pem.write(toFile: pem, atomically: true, encoding: .utf8)

        func fetch(_ password: String) async throws -> (status: Int32, run: Transferctl.Run) {
            let url = proxy.url("").replacing("http://", with: "http://me:\(password)@")
            return try await program.run(
                ["get", "--quiet", "--retries", "0", "--ca-file", pem, "--proxy", url, server.url("/f")])
        }
        let refused = try await fetch("wrong")
        #expect(refused.status != 0)
        #expect(refused.run.errors.contains("127.0.0.1:\(proxy.port)"), "\(refused.run.errors)")
        #expect(!refused.run.errors.contains("wrong"))
        #expect(server.requests.isEmpty)

        let (status, run) = try await fetch("p%40ss")
        #expect(status == 0, "\(run.errors)")
        let got = FileManager.default.contents(atPath: program.downloads + "/f").map(Array.init)
        let isRight = got == Self.file.bytes
        #expect(isRight)
        #expect(tunnels.tunnels > 0)
        #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
        #expect(server.requests.allSatisfy { $0.value("Proxy-Authorization") == nil })
    }
}
