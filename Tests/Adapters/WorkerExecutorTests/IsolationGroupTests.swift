// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import WorkerBench

@testable import WorkerExecutor

/// C11: a worker never serves two apps if one of them is sandboxed.
@Suite("Groups of transfers (C11)", .timeLimit(.minutes(1)))
struct IsolationGroupTests {
    @Test("a worker serves one group only, and one without work goes when there are more than two of them")
    func groups() async throws {
        let file = ServedFile(bytes: ServedFile.content(100_000))
        let configure: (inout WorkerExecutorConfiguration) -> Void = {
            $0.isolationGroup = { $0.id.rawValue < 10 ? nil : "app\($0.id.rawValue / 10)" }
        }
        try await WorkerBench.run(configure: configure, handler: file.serve) { bench, server in
            // There are two transfers without a group, and two in each of the groups 1 to 4.
            let ids: [Int64] = [1, 2, 10, 11, 20, 21, 30, 31, 40, 41]
            let recorders = ids.map { bench.start(bench.job($0, server.url("/\($0)"))) }
            #expect(bench.executor.processNumbers.count == 5)
            let groups = bench.executor.pool.withLock { pool in
                Dictionary(grouping: pool.attempts.keys) { pool.attempts[$0]?.worker }.values.map {
                    $0.map(\.rawValue).sorted()
                }
            }
            #expect(Set(groups) == [[1, 2], [10, 11], [20, 21], [30, 31], [40, 41]])
            for recorder in recorders {
                let outcome = await recorder.outcome()
                #expect(bench.contents(outcome) == file.bytes, "\(outcome) \(bench.log.lines)")
            }
            #expect(await WorkerBench.eventually { bench.executor.processNumbers.count == 3 }, "\(bench.log.lines)")
            // An idle worker is reused.
            let before = bench.executor.processNumbers
            #expect(bench.contents(await bench.start(bench.job(1, server.url("/1"))).outcome()) == file.bytes)
            #expect(bench.executor.processNumbers == before)
        }
    }
}
