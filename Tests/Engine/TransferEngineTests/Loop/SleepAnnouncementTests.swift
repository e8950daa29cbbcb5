// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferEngine

@Suite struct SleepAnnouncementTests {
    private func fact(_ state: SleepState, after seconds: Int64 = 0) -> Fact<SleepState> {
        Fact(state, source: .logind, since: EngineRig.start.advanced(by: .seconds(seconds)))
    }

    @Test("an announcement is pending until it is answered, and is not pending again in later looks")
    func answered() {
        var announcement = SleepAnnouncement()
        announcement.take(fact(.awake))
        #expect(announcement.pending == nil)
        let announced = fact(.aboutToSleep, after: 1)
        announcement.take(announced)
        #expect(announcement.pending == announced)
        announcement.take(announced)
        #expect(announcement.pending == announced)
        announcement.answer(announced)
        #expect(announcement.pending == nil)
        announcement.take(announced)
        #expect(announcement.pending == nil)
    }

    @Test("the next announcement is pending, after an awakening or without one")
    func next() {
        var announcement = SleepAnnouncement()
        announcement.take(fact(.aboutToSleep, after: 1))
        announcement.answer(fact(.aboutToSleep, after: 1))
        announcement.take(fact(.aboutToSleep, after: 2))
        #expect(announcement.pending == fact(.aboutToSleep, after: 2))
    }

    @Test("an announcement that is taken back needs no answer")
    func takenBack() {
        var announcement = SleepAnnouncement()
        announcement.take(fact(.aboutToSleep, after: 1))
        announcement.take(fact(.awake, after: 2))
        #expect(announcement.pending == nil)
    }
}
