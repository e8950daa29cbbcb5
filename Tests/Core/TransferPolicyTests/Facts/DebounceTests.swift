// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferPolicy

@Suite("Debounce")
struct DebounceTests {
    @Test("An urgent value counts at once, and what was to come is off")
    func urgent() {
        var debounce = Debounce(0)
        #expect(debounce.offer(1, isUrgent: false) == .wait)
        #expect(debounce.offer(2, isUrgent: true) == .take)
        #expect(debounce.value == 2)
        let isLate = debounce.elapse()
        #expect(!isLate)
        #expect(debounce.value == 2)
    }

    @Test("Another value counts once it has held; offered again meanwhile, its time runs on")
    func held() {
        var debounce = Debounce(0)
        #expect(debounce.offer(1, isUrgent: false) == .wait)
        #expect(debounce.offer(1, isUrgent: false) == .nothing)
        #expect(debounce.value == 0)
        let isChanged = debounce.elapse()
        #expect(isChanged)
        #expect(debounce.value == 1)
    }

    @Test("A dip that is over before its time is never seen")
    func dip() {
        var debounce = Debounce(0)
        #expect(debounce.offer(1, isUrgent: false) == .wait)
        #expect(debounce.offer(2, isUrgent: false) == .wait)
        #expect(debounce.offer(0, isUrgent: false) == .forget)
        let isChanged = debounce.elapse()
        #expect(!isChanged)
        #expect(debounce.offer(0, isUrgent: true) == .nothing)
        #expect(debounce.value == 0)
    }

    @Test("What is lost, or begins to cost, is urgent; what is gained is not")
    func urgency() {
        #expect(DebouncedReading.isUrgent(from: .ethernet, to: nil))
        #expect(DebouncedReading.isUrgent(from: .ethernet, to: .cellular))
        #expect(!DebouncedReading.isUrgent(from: .cellular, to: .ethernet))
        #expect(!DebouncedReading.isUrgent(from: nil, to: .ethernet))
        #expect(!DebouncedReading.isUrgent(from: nil, to: .cellular))
        for price in [Metered.yes, .guessYes] { #expect(DebouncedReading.isUrgent(price)) }
        for price in [Metered.no, .guessNo, .unknown, nil] { #expect(!DebouncedReading.isUrgent(price)) }
    }
}
