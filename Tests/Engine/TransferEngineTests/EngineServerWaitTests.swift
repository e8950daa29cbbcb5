// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("N5: waits that servers request", .timeLimit(.minutes(5))) struct EngineServerWaitTests {
    /// An engine with one slot for each host.
    private static func fixture(disk: InMemoryTransferStore.Disk = .init()) -> EngineFixture {
        var configuration = SchedulerConfiguration()
        configuration.slotsPerHost = 1
        return EngineFixture(disk: disk, configuration: configuration)
    }

    @Test("A wait holds back the server's transfers, also after a restart, until it ends or a user resumes one")
    func wait() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = Self.fixture(disk: disk)
        try await first.run { updates in
            let id = try await first.engine.submit(EngineFixture.specification())
            #expect(await updates.next() == "1 started 1")
            _ = try await first.engine.submit(EngineFixture.specification(), watching: true)
            #expect(await updates.next() == "2 waiting waitingForSlot")
            first.executor.fail(id, .status(429), retryAfterSeconds: 100)
            #expect(await updates.next(2).sorted() == ["1 retrying backoff status 0", "2 waiting retryAfter"])
            let explanation = await first.engine.explanation(of: TransferID(2))
            #expect(explanation?.nextReevaluation == EngineFixture.start.wall.advanced(by: .seconds(100)))
            #expect(first.alarm.due == EngineFixture.start.instant.advanced(by: .seconds(100)))
        }
        let second = Self.fixture(disk: disk)
        second.engine.watch(TransferID(2))
        try await second.run { updates in
            #expect(await updates.next() == "2 waiting retryAfter")
            try await second.engine.resume(TransferID(2))
            #expect(await updates.next() == "2 started 1")
            try await second.waitForInbox()
            #expect(try await InMemoryTransferStore(disk: disk).statistics()?.serverWaits.isEmpty == true)
        }
    }

    @Test(
        "Only 429 and 503 with a wait hold back others",
        arguments: [(FailureCause.status(500), 100), (.status(503), nil), (.connection, nil)]
            as [(FailureCause, Int64?)])
    func otherFailures(cause: FailureCause, seconds: Int64?) async throws {
        let fixture = Self.fixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = try await fixture.engine.submit(EngineFixture.specification())
            #expect(await updates.next() == "1 started 1")
            fixture.executor.fail(id, cause, retryAfterSeconds: seconds)
            #expect(await updates.next(2).contains("2 started 1"))
        }
    }

    @Test("A server that a redirect leads to holds back the transfers of its own, and not those of the first server")
    func redirected() async throws {
        let fixture = Self.fixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            #expect(await updates.next() == "1 started 1")
            fixture.executor.fail(id, .status(503), retryAfterSeconds: 100, by: "https://cdn.example:443")
            #expect(await updates.next() == "1 retrying backoff status 0")
            _ = try await fixture.engine.submit(EngineFixture.specification())
            #expect(await updates.next() == "2 started 1")
            let other = EngineFixture.specification(host: "https://cdn.example:443")
            _ = try await fixture.engine.submit(other, watching: true)
            #expect(await updates.next() == "3 waiting retryAfter")
        }
    }
}
