// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct SleepAnnouncementTests {
    private func fact(_ state: SleepState, after seconds: Int64 = 0) -> Fact<SleepState> {
        Fact(state, source: .logind, since: EngineFixture.start.advanced(by: .seconds(seconds)))
    }

    @Test("An announcement is pending until it is acknowledged, and not pending in later snapshots")
    func acknowledged() {
        var announcement = SleepAnnouncement()
        announcement.receive(fact(.awake))
        #expect(announcement.pending == nil)
        let announced = fact(.aboutToSleep, after: 1)
        announcement.receive(announced)
        #expect(announcement.pending == announced)
        announcement.receive(announced)
        #expect(announcement.pending == announced)
        announcement.acknowledge(announced)
        #expect(announcement.pending == nil)
        announcement.receive(announced)
        #expect(announcement.pending == nil)
    }

    @Test("The next announcement is pending, with or without a wake-up in between")
    func next() {
        var announcement = SleepAnnouncement()
        announcement.receive(fact(.aboutToSleep, after: 1))
        announcement.acknowledge(fact(.aboutToSleep, after: 1))
        announcement.receive(fact(.aboutToSleep, after: 2))
        #expect(announcement.pending == fact(.aboutToSleep, after: 2))
    }

    @Test("A withdrawn announcement needs no acknowledgment")
    func takenBack() {
        var announcement = SleepAnnouncement()
        announcement.receive(fact(.aboutToSleep, after: 1))
        announcement.receive(fact(.awake, after: 2))
        #expect(announcement.pending == nil)
    }
}
