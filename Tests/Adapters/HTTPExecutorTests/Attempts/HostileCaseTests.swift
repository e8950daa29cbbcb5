// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import HostileCases
import Testing
import URLSessionTransport

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct HostileCaseTests {
        @Test("Over libcurl", arguments: HostileCaseRunner.cases(usesCurl: true))
        func usesCurl(_ test: HostileCase) async throws {
            let hostileRun = HostileCaseRunner(usesCurl: true) { try HTTPExecutor(configuration: $0, transport: .curl) }
            let problems = try await hostileRun.run(test)
            #expect(problems == [])
        }

        @Test(
            "Over URLSession", arguments: HostileCaseRunner.cases(usesCurl: false))
        func usesURLSession(_ test: HostileCase) async throws {
            let hostileRun = HostileCaseRunner(usesCurl: false) {
                try HTTPExecutor(configuration: $0, transport: .urlSession)
            }
            let problems = try await hostileRun.run(test)
            #expect(problems == [])
        }

        @Test("Case names are unique")
        func names() {
            let names = HostileCase.all.map(\.name)
            #expect(names.count > 150)
            #expect(Set(names).count == names.count)
        }
    }
}
