// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferPolicy

@Suite("Debounce")
struct DebounceTests {
    @Test("An urgent value counts immediately and cancels the pending value")
    func urgent() {
        var debounce = Debounce(0)
        #expect(debounce.offer(1, isUrgent: false) == .wait)
        #expect(debounce.offer(2, isUrgent: true) == .accept)
        #expect(debounce.value == 2)
        let isLate = debounce.elapse()
        #expect(!isLate)
        #expect(debounce.value == 2)
    }

    @Test("A changed value counts after the debounce; a repeated value does not restart it")
    func held() {
        var debounce = Debounce(0)
        #expect(debounce.offer(1, isUrgent: false) == .wait)
        #expect(debounce.offer(1, isUrgent: false) == .nothing)
        #expect(debounce.value == 0)
        let isChanged = debounce.elapse()
        #expect(isChanged)
        #expect(debounce.value == 1)
    }

    @Test("A dip shorter than the debounce is never visible")
    func dip() {
        var debounce = Debounce(0)
        #expect(debounce.offer(1, isUrgent: false) == .wait)
        #expect(debounce.offer(2, isUrgent: false) == .wait)
        #expect(debounce.offer(0, isUrgent: false) == .cancel)
        let isChanged = debounce.elapse()
        #expect(!isChanged)
        #expect(debounce.offer(0, isUrgent: true) == .nothing)
        #expect(debounce.value == 0)
    }

    @Test("A loss or a new cost is urgent; a gain is not")
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
