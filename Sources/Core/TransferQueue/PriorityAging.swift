// SPDX-License-Identifier: Apache-2.0

/// Chooses among the priority levels that could start a transfer: the best level, unless other levels were bypassed too
/// often.
struct PriorityAging: Sendable {
    /// The number of starts that may bypass a level before a start goes to it.
    private let interval: Int
    /// The number of consecutive starts that bypassed a level with a startable transfer, by level.
    private var bypassed: [Int] = []
    /// The levels of the current choice, best rank first.
    private var startable: [Int32] = []
    /// A Boolean value that indicates whether the last choice was not the best level.
    private(set) var isChosenByAging = false

    init(interval: Int) { self.interval = max(1, interval) }

    /// Forgets the levels of the previous choice.
    mutating func begin() { startable.removeAll(keepingCapacity: true) }

    /// Adds a level that could start a transfer. Levels must be added in order of rank.
    mutating func offer(_ level: Int32) { startable.append(level) }

    /// Returns the level that starts a transfer, and counts all lower levels as bypassed. If several levels were
    /// bypassed too often, returns the level that was bypassed most often. Returns `nil` if no level was offered.
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
            bypassed[Int(level)] += 1
        }
        bypassed[Int(chosen)] = 0
        return chosen
    }

    private mutating func count(of level: Int32) -> Int {
        while bypassed.count <= Int(level) { bypassed.append(0) }
        return bypassed[Int(level)]
    }
}
