// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("Going to sleep", .timeLimit(.minutes(5))) struct EngineSleepTests {
    private func conditions(_ sleep: SleepState, since seconds: Int64 = 0) -> Conditions {
        var conditions = EngineRig.goodConditions()
        conditions.sleep = Fact(
            sleep, source: .logind, since: EngineRig.start.advanced(by: .seconds(seconds)), isObservedChange: true)
        return conditions
    }

    @Test(
        "What runs is stopped and saved before the machine may sleep, and goes on afterwards",
        arguments: [(SleepState.aboutToSleep, "aboutToSleep"), (.aboutToShutDown, "aboutToShutDown")])
    func stopped(sleep: SleepState, code: String) async throws {
        let rig = EngineRig()
        rig.executor.setStopsAtOnce(false)
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(), watching: true)
            #expect(await updates.next() == "1 started 1")
            rig.source.send(conditions(sleep))
            await rig.until("the stop") { rig.executor.log.contains(.stop(id)) }
            try await rig.settle()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(rig.source.readyToSleepCount == 0)
            rig.executor.stopped(id)
            #expect(await updates.next() == "1 stopped \(code) 0")
            await rig.until("readiness") { rig.source.readyToSleepCount == 1 }
            // Other changes in the meantime are not a second announcement.
            var later = conditions(sleep)
            later.battery.value.level = 7
            rig.source.send(later)
            try await rig.settle()
            #expect(rig.source.readyToSleepCount == 1)
            rig.source.send(conditions(.awake, since: 60))
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(await updates.next() == "1 started 2")
            // The engine may miss the time awake between two announcements.
            rig.source.send(conditions(sleep, since: 100))
            await rig.until("the second stop") { rig.executor.log.count { $0 == .stop(id) } == 2 }
            rig.executor.stopped(id)
            await rig.until("readiness") { rig.source.readyToSleepCount == 2 }
            rig.source.send(conditions(sleep, since: 200))
            await rig.until("readiness") { rig.source.readyToSleepCount == 3 }
        }
        let lines = rig.journal.lines
        let stop = try #require(lines.firstIndex { $0.hasPrefix("executor stop") })
        let ready = try #require(lines.firstIndex(of: "ready to sleep"))
        let saved = try #require(lines[stop...].firstIndex(of: "saved checkpointed"))
        #expect(saved < ready, "\(lines)")
        #expect(lines[stop..<ready].contains("saved learned"), "\(lines)")
    }

    @Test("With nothing to stop the machine may sleep at once, also when that is the first that is seen of it")
    func idle() async throws {
        let rig = EngineRig(conditions: conditions(.aboutToSleep))
        try await rig.run { updates in
            _ = try await rig.engine.submit(EngineRig.specification(), watching: true)
            #expect(await updates.next() == "1 waiting aboutToSleep")
            await rig.until("readiness") { rig.source.readyToSleepCount == 1 }
            #expect(rig.executor.log.isEmpty)
        }
    }
}
