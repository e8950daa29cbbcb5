// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("Sleep", .timeLimit(.minutes(5))) struct EngineSleepTests {
    private func conditions(_ sleep: SleepState, since seconds: Int64 = 0) -> Conditions {
        var conditions = EngineFixture.goodConditions()
        conditions.sleep = Fact(
            sleep, source: .logind, since: EngineFixture.start.advanced(by: .seconds(seconds)), isObservedChange: true)
        return conditions
    }

    @Test(
        "Running transfers stop and are saved before the machine sleeps, and continue afterward",
        arguments: [(SleepState.aboutToSleep, "aboutToSleep"), (.aboutToShutDown, "aboutToShutDown")])
    func stopped(sleep: SleepState, code: String) async throws {
        let fixture = EngineFixture()
        fixture.executor.setStopsAtOnce(false)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(), watching: true)
            #expect(await updates.next() == "1 started 1")
            fixture.source.send(conditions(sleep))
            await fixture.until("the stop") { fixture.executor.log.contains(.stop(id)) }
            try await fixture.waitForInbox()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(fixture.source.readyToSleepCount == 0)
            fixture.executor.stopped(id)
            #expect(await updates.next() == "1 stopped \(code) 0")
            await fixture.until("readiness") { fixture.source.readyToSleepCount == 1 }
            // Other changes in the meantime are not a second announcement.
            var later = conditions(sleep)
            later.battery.value.level = 7
            fixture.source.send(later)
            try await fixture.waitForInbox()
            #expect(fixture.source.readyToSleepCount == 1)
            fixture.source.send(conditions(.awake, since: 60))
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(await updates.next() == "1 started 2")
            // The engine may miss the time awake between two announcements.
            fixture.source.send(conditions(sleep, since: 100))
            await fixture.until("the second stop") { fixture.executor.log.count { $0 == .stop(id) } == 2 }
            fixture.executor.stopped(id)
            await fixture.until("readiness") { fixture.source.readyToSleepCount == 2 }
            fixture.source.send(conditions(sleep, since: 200))
            await fixture.until("readiness") { fixture.source.readyToSleepCount == 3 }
        }
        let lines = fixture.journal.lines
        let stop = try #require(lines.firstIndex { $0.hasPrefix("executor stop") })
        let ready = try #require(lines.firstIndex(of: "ready to sleep"))
        let saved = try #require(lines[stop...].firstIndex(of: "saved checkpointed"))
        #expect(saved < ready, "\(lines)")
        #expect(lines[stop..<ready].contains("saved statistics"), "\(lines)")
    }

    @Test("An idle engine allows sleep immediately, even if the first snapshot announces the sleep")
    func idle() async throws {
        let fixture = EngineFixture(conditions: conditions(.aboutToSleep))
        try await fixture.run { updates in
            _ = try await fixture.engine.submit(EngineFixture.specification(), watching: true)
            #expect(await updates.next() == "1 waiting aboutToSleep")
            await fixture.until("readiness") { fixture.source.readyToSleepCount == 1 }
            #expect(fixture.executor.log.isEmpty)
        }
    }
}
