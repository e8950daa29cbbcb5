// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileCases
import Logging
import Testing
import WorkerBench

@testable import WorkerExecutor

@Suite("WorkerExecutor before bad servers", .serialized, .timeLimit(.minutes(5)))
struct WorkerHostileCaseTests {
    /// A sample of the cases. All cases run in process with the same executor; these tests cover the communication
    /// with the worker.
    private static func sample(isRepaired: Bool) -> [HostileCase] {
        let all = HostileTrial.cases(isRepaired: isRepaired, isInProcess: false)
        if ProcessInfo.processInfo.environment["TRANSFER_ALL_CASES"] != nil { return all }
        let names = Set(HostileTrial.cases(isRepaired: isRepaired, isInProcess: true).map(\.name))
        return all.enumerated().filter { $0.offset % 8 == 0 || !names.contains($0.element.name) }.map(\.element)
    }

    @Test("with the repair: each eighth case, and all with TRANSFER_ALL_CASES set", arguments: sample(isRepaired: true))
    func repaired(_ test: HostileCase) async throws {
        #expect(try await Self.run(test, isRepaired: true) == [])
    }

    @Test("without the repair: the same, and all that end the process", arguments: sample(isRepaired: false))
    func plain(_ test: HostileCase) async throws {
        #expect(try await Self.run(test, isRepaired: false) == [])
    }

    private static func run(_ test: HostileCase, isRepaired: Bool) async throws -> [String] {
        let trial = HostileTrial(isRepaired: isRepaired) { configuration in
            var supervised = WorkerExecutorConfiguration(
                executor: configuration, program: .at(path: WorkerBench.program),
                logger: Logger(label: "test") { _ in LogKeeper() })
            // Some servers make URLSession hang, which a probe detects.
            supervised.patienceSeconds = 2
            return try WorkerExecutor(configuration: supervised)
        }
        return try await trial.run(test)
    }
}
