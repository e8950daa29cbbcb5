// SPDX-License-Identifier: Apache-2.0
import HostileCases
import Testing

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct HostileCaseTests {
        @Test("with the repair", arguments: HostileTrial.cases(isRepaired: true, isInProcess: true))
        func repaired(_ test: HostileCase) async throws {
            let trial = HostileTrial(isRepaired: true) { try URLSessionExecutor(configuration: $0) }
            let problems = try await trial.run(test)
            #expect(problems == [])
        }

        @Test("without the repair", arguments: HostileTrial.cases(isRepaired: false, isInProcess: true))
        func plain(_ test: HostileCase) async throws {
            let trial = HostileTrial(isRepaired: false) { try URLSessionExecutor(configuration: $0) }
            let problems = try await trial.run(test)
            #expect(problems == [])
        }

        @Test("the names of cases are told apart")
        func names() {
            let names = HostileCase.all.map(\.name)
            #expect(names.count > 150)
            #expect(Set(names).count == names.count)
        }
    }
}
