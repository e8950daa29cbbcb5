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
    private static var sample: [HostileCase] {
        let all = HostileCaseRunner.cases(usesCurl: true)
        if ProcessInfo.processInfo.environment["TRANSFER_ALL_CASES"] != nil { return all }
        return all.enumerated().filter { $0.offset % 8 == 0 }.map(\.element)
    }

    @Test("Every eighth case, or all cases if TRANSFER_ALL_CASES is set", arguments: sample)
    func holds(_ test: HostileCase) async throws {
        let hostileRun = HostileCaseRunner(usesCurl: true) { configuration in
            try WorkerExecutor(
                configuration: WorkerExecutorConfiguration(
                    executor: configuration, program: .at(path: WorkerHarness.program),
                    logger: Logger(label: "test") { _ in LogRecorder() }))
        }
        #expect(try await hostileRun.run(test) == [])
    }
}
