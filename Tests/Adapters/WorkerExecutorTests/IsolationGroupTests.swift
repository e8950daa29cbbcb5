// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import WorkerHarness

@testable import WorkerExecutor

/// C11: a worker never serves two apps if one of them is sandboxed.
@Suite("Isolation groups (C11)", .timeLimit(.minutes(1)))
struct IsolationGroupTests {
    @Test("A worker serves one group only, and at most two workers of groups stay idle")
    func groups() async throws {
        let file = ServedFile(bytes: ServedFile.content(100_000))
        let configure: (inout WorkerExecutorConfiguration) -> Void = {
            $0.isolationGroup = { $0.id.rawValue < 10 ? nil : "app\($0.id.rawValue / 10)" }
        }
        try await WorkerHarness.run(configure: configure, handler: file.serve) { fixture, server in
            // There are two transfers without a group, and two in each of the groups 1 to 4.
            let ids: [Int64] = [1, 2, 10, 11, 20, 21, 30, 31, 40, 41]
            let recorders = ids.map { fixture.start(fixture.job($0, server.url("/\($0)"))) }
            #expect(fixture.executor.processIDs.count == 5)
            let groups = fixture.executor.pool.withLock { pool in
                Dictionary(grouping: pool.attempts.keys) { pool.attempts[$0]?.worker }.values.map {
                    $0.map(\.rawValue).sorted()
                }
            }
            #expect(Set(groups) == [[1, 2], [10, 11], [20, 21], [30, 31], [40, 41]])
            for recorder in recorders {
                let outcome = await recorder.outcome()
                #expect(fixture.contents(outcome) == file.bytes, "\(outcome) \(fixture.log.lines)")
            }
            #expect(await WorkerHarness.eventually { fixture.executor.processIDs.count == 3 }, "\(fixture.log.lines)")
            // An idle worker is reused.
            let before = fixture.executor.processIDs
            #expect(fixture.contents(await fixture.start(fixture.job(1, server.url("/1"))).outcome()) == file.bytes)
            #expect(fixture.executor.processIDs == before)
        }
    }
}
