// SPDX-License-Identifier: Apache-2.0

/// Chooses among the priority levels that might start something: the best one, unless others were passed over too often.
struct PriorityAging: Sendable {
    /// How many starts may pass over a level before one start goes to it.
    private let interval: Int
    /// How many starts in a row have passed over something that might have been started, by level.
    private var passedOver: [Int] = []
    /// The levels of this choice, best rank first.
    private var startable: [Int32] = []
    /// Whether the last choice was not the best level.
    private(set) var isChosenByAging = false

    init(interval: Int) { self.interval = max(1, interval) }

    /// Forgets the levels of the choice before.
    mutating func begin() { startable.removeAll(keepingCapacity: true) }

    /// Adds a level that might start something; the levels come in the order of their ranks.
    mutating func offer(_ level: Int32) { startable.append(level) }

    /// Returns the level that starts something: of several that were passed over too often the one that was so most
    /// often. All below it are passed over once more. Nil if none was offered.
    mutating func choose() -> Int32? {
        guard var chosen = startable.first else { return nil }
        var limit = interval
        for level in startable where count(of: level) >= limit {
            limit = count(of: level) + 1
            chosen = level
        }
        isChosenByAging = startable.first != chosen
        for level in startable.reversed() {
            if level == chosen { break }
            passedOver[Int(level)] += 1
        }
        passedOver[Int(chosen)] = 0
        return chosen
    }

    /// Notes a start of a level that needed no choice: nothing waits on any other.
    mutating func start(_ level: Int32) {
        isChosenByAging = false
        if Int(level) < passedOver.count { passedOver[Int(level)] = 0 }
    }

    private mutating func count(of level: Int32) -> Int {
        while passedOver.count <= Int(level) { passedOver.append(0) }
        return passedOver[Int(level)]
    }
}
