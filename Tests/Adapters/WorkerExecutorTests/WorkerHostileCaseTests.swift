// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileCases
import Logging
import Testing
import WorkerHarness

@testable import WorkerExecutor

@Suite("WorkerExecutor with hostile servers", .serialized, .timeLimit(.minutes(5)))
struct WorkerHostileCaseTests {
    /// A sample of the cases. All cases run in process with the same executor; these tests cover the communication
    /// with the worker.
    private static func sample(isInterposerActive: Bool) -> [HostileCase] {
        let all = HostileCaseRunner.cases(isInterposerActive: isInterposerActive, isInProcess: false)
        if ProcessInfo.processInfo.environment["TRANSFER_ALL_CASES"] != nil { return all }
        let names = Set(HostileCaseRunner.cases(isInterposerActive: isInterposerActive, isInProcess: true).map(\.name))
        return all.enumerated().filter { $0.offset % 8 == 0 || !names.contains($0.element.name) }.map(\.element)
    }

    @Test(
        "With the interposer: every eighth case, or all cases if TRANSFER_ALL_CASES is set",
        arguments: sample(isInterposerActive: true))
    func usesInterposer(_ test: HostileCase) async throws {
        #expect(try await Self.run(test, isInterposerActive: true) == [])
    }

    @Test(
        "Without the interposer: the same, plus all cases that end the process",
        arguments: sample(isInterposerActive: false))
    func plain(_ test: HostileCase) async throws {
        #expect(try await Self.run(test, isInterposerActive: false) == [])
    }

    private static func run(_ test: HostileCase, isInterposerActive: Bool) async throws -> [String] {
        let hostileRun = HostileCaseRunner(isInterposerActive: isInterposerActive) { configuration in
            var supervised = WorkerExecutorConfiguration(
                executor: configuration, program: .at(path: WorkerHarness.program),
                logger: Logger(label: "test") { _ in LogRecorder() })
            // Some servers make URLSession hang, which a probe detects.
            supervised.silenceLimitSeconds = 2
            return try WorkerExecutor(configuration: supervised)
        }
        return try await hostileRun.run(test)
    }
}
