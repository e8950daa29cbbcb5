// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct EngineMetricsTests {
    @Test("The engine counts bytes, attempts, retries by cause, endings by result, and the time to first byte")
    func counts() async throws {
        let metrics = MemoryMetrics()
        let fixture = EngineFixture(metrics: metrics)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            fixture.executor.answer(id, after: .milliseconds(3))
            fixture.executor.progress(id, to: 40)
            fixture.executor.progress(id, to: 100)
            fixture.executor.fail(id, .status(503))
            #expect(await updates.next(3).last == "1 retrying backoff status 100")
            try await fixture.engine.resume(id)
            #expect(await updates.next() == "1 started 2")
            // Earlier bytes are not counted again. Bytes that are fetched again are counted again.
            fixture.executor.progress(id, to: 100)
            fixture.executor.progress(id, to: 130)
            fixture.executor.restart(id)
            fixture.executor.progress(id, to: 7)
            fixture.executor.finish(id)
            let others = [EngineFixture.specification(host: "a"), EngineFixture.specification(host: "b")]
            let refused = try await fixture.engine.submit(others[0])
            await fixture.until("a start") { fixture.executor.running.contains(refused) }
            fixture.executor.finish(refused, status: 404)
            let failed = try await fixture.engine.submit(others[1])
            await fixture.until("a start") { fixture.executor.running.contains(failed) }
            fixture.executor.fail(failed, .certificate)
            let cancelled = try await fixture.engine.submit(others[0])
            await fixture.until("a start") { fixture.executor.running.contains(cancelled) }
            try await fixture.engine.cancel(cancelled)
            try await fixture.waitForInbox()
        }
        #expect(
            metrics.sums.filter { $0.value != 0 } == [
                "transfer.received": 137, "transfer.attempts": 5, "transfer.retries cause=status503": 1,
                "transfer.endings result=finished": 1, "transfer.endings result=refused": 1,
                // The marker transfer is also canceled.
                "transfer.endings result=failed": 1, "transfer.endings result=cancelled": 2,
                "transfer.first_byte": 3_000_000,
            ])
        // Each counter is created only once.
        #expect(Set(metrics.names).count == metrics.names.count)
    }
}
