// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import LinuxConditions

@Suite("Settling")
struct SettlingTests {
    @Test("An urgent value counts at once, and what was to come is off")
    func urgent() {
        var settling = Settling(0)
        #expect(settling.offer(1, isUrgent: false) == .wait)
        #expect(settling.offer(2, isUrgent: true) == .take)
        #expect(settling.settled == 2)
        let isLate = settling.held()
        #expect(!isLate)
        #expect(settling.settled == 2)
    }

    @Test("Another value counts once it has held; offered again meanwhile, its time runs on")
    func held() {
        var settling = Settling(0)
        #expect(settling.offer(1, isUrgent: false) == .wait)
        #expect(settling.offer(1, isUrgent: false) == .nothing)
        #expect(settling.settled == 0)
        let isChanged = settling.held()
        #expect(isChanged)
        #expect(settling.settled == 1)
    }

    @Test("A dip that is over before its time is never seen")
    func dip() {
        var settling = Settling(0)
        #expect(settling.offer(1, isUrgent: false) == .wait)
        #expect(settling.offer(2, isUrgent: false) == .wait)
        #expect(settling.offer(0, isUrgent: false) == .forget)
        let isChanged = settling.held()
        #expect(!isChanged)
        #expect(settling.offer(0, isUrgent: true) == .nothing)
        #expect(settling.settled == 0)
    }
}
