// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import URLSessionTransport

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct ExecutorConfigurationTests {
        private static let file = ServedFile(bytes: ServedFile.content(1000))

        @Test("A CA file that cannot be read is a clear error, as is a CA file or a proxy with URLSession")
        func configuration() throws {
            let path = NSTemporaryDirectory() + "transfer-ca-\(UUID().uuidString)"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            var configuration = HTTPExecutorConfiguration(partialDirectory: "/tmp/unused")
            configuration.caFile = path
            #expect { try HTTPExecutor(configuration: configuration, transport: .urlSession) } throws: {
                ($0 as? HTTPExecutorError)?.code == .unsupportedSetting
            }
            configuration.caFile = path + ".none"
            #expect { try HTTPExecutor(configuration: configuration, transport: .urlSession) } throws: {
                ($0 as? HTTPExecutorError)?.code == .unreadableCAFile
            }
            configuration.caFile = nil
            configuration.proxy = "http://127.0.0.1:1"
            #expect { try HTTPExecutor(configuration: configuration, transport: .urlSession) } throws: {
                ($0 as? HTTPExecutorError)?.code == .unsupportedSetting
            }
        }
    }
}
