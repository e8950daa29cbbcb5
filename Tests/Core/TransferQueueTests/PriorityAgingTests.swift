// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TransferQueue

@Suite("PriorityAging")
struct PriorityAgingTests {
    private func choose(_ aging: inout PriorityAging, among levels: [Int32]) -> Int32? {
        aging.begin()
        for level in levels { aging.offer(level) }
        return aging.choose()
    }

    @Test("The best level goes first until another level was passed over often enough")
    func interval() {
        var aging = PriorityAging(interval: 3)
        let choices = (0..<8).map { _ in choose(&aging, among: [7, 2]) }
        #expect(choices == [7, 7, 7, 2, 7, 7, 7, 2])
        #expect(aging.isChosenByAging)
        #expect(choose(&aging, among: [7, 2]) == 7)
        #expect(!aging.isChosenByAging)
    }

    @Test("Of several levels passed over too often, the one passed over most often goes first")
    func mostOften() {
        var aging = PriorityAging(interval: 2)
        _ = choose(&aging, among: [0, 2])
        _ = choose(&aging, among: [0, 2])
        #expect((0..<5).map { _ in choose(&aging, among: [0, 1, 2]) } == [2, 0, 0, 1, 2])
    }

    @Test("Only startable levels are passed over; a start resets their count")
    func counting() {
        var aging = PriorityAging(interval: 2)
        _ = choose(&aging, among: [0, 1])
        _ = choose(&aging, among: [0])
        _ = choose(&aging, among: [1])
        _ = choose(&aging, among: [0, 1])
        _ = choose(&aging, among: [0, 1])
        #expect(choose(&aging, among: [0, 1]) == 1)
    }

    @Test("Without a startable level, there is no choice")
    func none() {
        var aging = PriorityAging(interval: 1)
        #expect(choose(&aging, among: []) == nil)
    }
}
