// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct ExecutorConfigurationTests {
        private static let file = ServedFile(bytes: ServedFile.content(1000))

        @Test("A CA file or a proxy without the interposer is a clear error")
        func configuration() throws {
            let path = NSTemporaryDirectory() + "transfer-ca-\(UUID().uuidString)"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            var configuration = URLSessionExecutorConfiguration(partialDirectory: "/tmp/unused")
            configuration.usesInterposer = false
            configuration.caFile = path
            #expect { try URLSessionExecutor(configuration: configuration) } throws: {
                ($0 as? URLSessionExecutorError)?.code == .needsInterposer
            }
            configuration.caFile = path + ".none"
            #expect { try URLSessionExecutor(configuration: configuration) } throws: {
                ($0 as? URLSessionExecutorError)?.code == .unreadableCAFile
            }
            configuration.caFile = nil
            configuration.proxy = "http://127.0.0.1:1"
            #expect { try URLSessionExecutor(configuration: configuration) } throws: {
                ($0 as? URLSessionExecutorError)?.code == .needsInterposer
            }
        }

        @Test("A proxy from the configuration is used")
        func proxy() async throws {
            let proxy = try HostileServer(handler: Self.file.serve)
            defer { proxy.stop() }
            try await ExecutorFixture.run(configure: { $0.proxy = proxy.url("") }, handler: Self.file.serve) {
                fixture, server in
                #expect(fixture.contents(await fixture.fetch("http://far.invalid/f")) == Self.file.bytes)
                #expect(server.requests.isEmpty)
                #expect(proxy.requests.first?.target == "http://far.invalid/f")
            }
        }
    }
}
