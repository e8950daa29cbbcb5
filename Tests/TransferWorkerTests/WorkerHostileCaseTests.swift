// SPDX-License-Identifier: Apache-2.0
import HostileCases
import Logging
import Testing

@testable import TransferWorker

@Suite("WorkerExecutor before bad servers", .serialized, .timeLimit(.minutes(5)))
struct WorkerHostileCaseTests {
    @Test("with the repair", arguments: HostileTrial.cases(isRepaired: true, isInProcess: false))
    func repaired(_ test: HostileCase) async throws {
        #expect(try await Self.run(test, isRepaired: true) == [])
    }

    @Test(
        "without the repair, those that end the process among them",
        arguments: HostileTrial.cases(isRepaired: false, isInProcess: false))
    func plain(_ test: HostileCase) async throws {
        #expect(try await Self.run(test, isRepaired: false) == [])
    }

    private static func run(_ test: HostileCase, isRepaired: Bool) async throws -> [String] {
        let trial = HostileTrial(isRepaired: isRepaired) { configuration in
            try WorkerExecutor(
                configuration: WorkerExecutorConfiguration(
                    executor: configuration, program: .at(path: WorkerBench.program),
                    logger: Logger(label: "test") { _ in LogKeeper() }))
        }
        return try await trial.run(test)
    }
}
