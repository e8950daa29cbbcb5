// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct EngineMetricsTests {
    @Test("Bytes, attempts, retries by cause, endings by result and the time to the first byte are counted")
    func counts() async throws {
        let metrics = MemoryMetrics()
        let rig = EngineRig(metrics: metrics)
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.executor.answer(id, after: .milliseconds(3))
            rig.executor.progress(id, to: 40)
            rig.executor.progress(id, to: 100)
            rig.executor.fail(id, .status(503))
            #expect(await updates.next(3).last == "1 retrying backoff status 100")
            try await rig.engine.resume(id)
            #expect(await updates.next() == "1 started 2")
            // Earlier bytes are not counted again. Bytes that are fetched again are counted again.
            rig.executor.progress(id, to: 100)
            rig.executor.progress(id, to: 130)
            rig.executor.restart(id)
            rig.executor.progress(id, to: 7)
            rig.executor.finish(id)
            let others = [EngineRig.specification(host: "a"), EngineRig.specification(host: "b")]
            let refused = try await rig.engine.submit(others[0])
            await rig.until("a start") { rig.executor.running.contains(refused) }
            rig.executor.finish(refused, status: 404)
            let failed = try await rig.engine.submit(others[1])
            await rig.until("a start") { rig.executor.running.contains(failed) }
            rig.executor.fail(failed, .certificate)
            let cancelled = try await rig.engine.submit(others[0])
            await rig.until("a start") { rig.executor.running.contains(cancelled) }
            try await rig.engine.cancel(cancelled)
            try await rig.settle()
        }
        #expect(
            metrics.sums.filter { $0.value != 0 } == [
                "transfer.received": 137, "transfer.attempts": 5, "transfer.retries cause=status503": 1,
                "transfer.endings result=finished": 1, "transfer.endings result=refused": 1,
                // The marker that `settle()` submits is also cancelled.
                "transfer.endings result=failed": 1, "transfer.endings result=cancelled": 2,
                "transfer.first_byte": 3_000_000,
            ])
        // Each counter is created only once.
        #expect(Set(metrics.names).count == metrics.names.count)
    }
}
