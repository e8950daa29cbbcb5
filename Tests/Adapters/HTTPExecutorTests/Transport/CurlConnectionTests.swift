// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of what only `CurlTransport` does with its connections.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct CurlConnectionTests {
        /// Returns the type of service of this process's connection to the port.
        private static func typeOfService(to port: UInt16) -> Int32? {
            for descriptor in Int32(0)..<4096 {
                var address = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let isSocket = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        getpeername(descriptor, $0, &length) == 0
                    }
                }
                guard isSocket, UInt16(bigEndian: address.sin_port) == port else { continue }
                var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
                return getsockopt(descriptor, Int32(IPPROTO_IP), IP_TOS, &value, &size) == 0 ? value : nil
            }
            return nil
        }

        @Test("While a discretionary transfer runs, its packets are marked and its bytes on the wire are counted")
        func running() async throws {
            let file = ServedFile(bytes: ServedFile.content(1_000_000))
            let handler: HostileServer.Handler = { request, connection in
                guard request.range?.last == nil else { return file.serve(request, connection) }
                file.serve(request, connection, onlyBytes: 600_000)
                connection.waitForClient()
            }
            try await ExecutorFixture.run(handler: handler) { fixture, server in
                let client = fixture.executor.environment.client
                client.countWire(true, withLoopback: true)
                var specification = fixture.specification(server.url("/f"))
                specification.traits.kind = .discretionary
                let (id, recorder) = fixture.start(specification)
                await recorder.wait { $0.contains { ($0.progress ?? 0) >= 600_000 } }
                #expect(client.wireBytes.received > 600_000 && client.wireBytes.sent > 0)
                // The codepoint of lower effort is 000001 (RFC 8622).
                #expect(Self.typeOfService(to: server.port) == 1 << 2)
                fixture.executor.stop(id)
                _ = await recorder.outcome()
                client.countWire(false, withLoopback: false)
            }
        }
    }
}
