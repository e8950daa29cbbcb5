// SPDX-License-Identifier: Apache-2.0
import HostileCases
import Testing

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct HostileCaseTests {
        @Test("With the interposer", arguments: HostileCaseRunner.cases(isInterposerActive: true, isInProcess: true))
        func usesInterposer(_ test: HostileCase) async throws {
            let hostileRun = HostileCaseRunner(isInterposerActive: true) { try URLSessionExecutor(configuration: $0) }
            let problems = try await hostileRun.run(test)
            #expect(problems == [])
        }

        @Test(
            "Without the interposer", arguments: HostileCaseRunner.cases(isInterposerActive: false, isInProcess: true))
        func plain(_ test: HostileCase) async throws {
            let hostileRun = HostileCaseRunner(isInterposerActive: false) { try URLSessionExecutor(configuration: $0) }
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
