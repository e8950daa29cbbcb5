// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import TransferScheduling

@Suite("Shelf")
struct ShelfTests {
    @Test("Whatever comes, goes and starts, the best that a shelf trusts is the best there is", arguments: 0..<20)
    func trustedBest(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = Model()
        for step in 0..<2000 {
            model.change(using: &random)
            guard model.isRight else {
                Issue.record("wrong after step \(step), seed \(seed)")
                return
            }
        }
        #expect(model.trusted > 500)
    }

    /// A shelf, the last turns of its apps, and a look at all of them.
    private struct Model {
        var shelf = Shelf(number: 0, level: 0, hasWindow: false)
        var turns: [Int64] = Array(repeating: 0, count: 6)
        var turn: Int64 = 0
        /// How often the shelf said whose turn it is without a look.
        var trusted = 0

        mutating func change(using random: inout SplitMix64) {
            let key = TurnKey(
                deadline: Bool.random(using: &random) ? .max : Int64.random(in: 0..<4, using: &random),
                id: Int64.random(in: 0..<1000, using: &random))
            let count = shelf.appQueues.count
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where count < turns.count: add(key)
            case 1 where count > 0: remove(at: Int.random(in: 0..<count, using: &random))
            case 2 where count > 0: put(key, at: Int.random(in: 0..<count, using: &random))
            case 3:
                turn += 1
                turns[Int.random(in: 0..<turns.count, using: &random)] = turn
            default: if let best { look(best) }
            }
        }

        private mutating func add(_ key: TurnKey) {
            guard let app = turns.indices.first(where: { app in !shelf.appQueues.contains { $0.app == Int32(app) } })
            else { return }
            shelf.appQueues.append(
                ShelfEntry(appQueue: Int32(app), app: Int32(app), bucket: 0, lane: 0, top: key))
            shelf.changed(Int32(shelf.appQueues.count - 1), to: key, turn: turns[app])
        }

        private mutating func put(_ key: TurnKey, at position: Int) {
            shelf.appQueues[position].top = key
            shelf.changed(Int32(position), to: key, turn: turns[Int(shelf.appQueues[position].app)])
        }

        private mutating func remove(at position: Int) {
            shelf.removed(Int32(position))
            let last = shelf.appQueues.removeLast()
            if position < shelf.appQueues.count { shelf.appQueues[position] = last }
        }

        /// Notes what a look at all of them says.
        private mutating func look(_ best: Int) {
            shelf.best = Int32(best)
            shelf.bestKey = shelf.appQueues[best].top
            shelf.bestTurn = turns[Int(shelf.appQueues[best].app)]
        }

        private var best: Int? {
            shelf.appQueues.indices.min { left, right in
                let (first, second) = (shelf.appQueues[left], shelf.appQueues[right])
                return first.top.precedes(
                    second.top, turn: turns[Int(first.app)], otherTurn: turns[Int(second.app)])
            }
        }

        var isRight: Bool {
            mutating get {
                guard shelf.best != Shelf.unknown else { return true }
                guard shelf.appQueues.indices.contains(Int(shelf.best)) else { return false }
                let trustedEntry = shelf.appQueues[Int(shelf.best)]
                guard turns[Int(trustedEntry.app)] == shelf.bestTurn, let best else { return true }
                trusted += 1
                let first = shelf.appQueues[best]
                // Two of the same app's age and the same id cannot be told apart, and never are there.
                return trustedEntry.top == shelf.bestKey
                    && !first.top.precedes(
                        trustedEntry.top, turn: turns[Int(first.app)], otherTurn: shelf.bestTurn)
            }
        }
    }
}
