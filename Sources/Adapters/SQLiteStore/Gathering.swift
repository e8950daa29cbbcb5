// SPDX-License-Identifier: Apache-2.0

/// Decides how long a transaction stays open for those who are about to come back.
///
/// Who was answered by one transaction often asks again at once. If the next were closed without them, those who come
/// during a sync and those whom it answers would take turns for ever, and each half pay for a whole sync. So as many are
/// expected as the last transaction answered and as came while it was synced; what they ask for is written while others
/// are still on their way, so that to wait costs little. One caller alone is all who is expected, and never waits.
final class Gathering: @unchecked Sendable {
    // Guard: used on the connection's serial queue only.

    /// Nobody who is expected came for so long: the others will not, either.
    static let longestSilence: Duration = .microseconds(50)
    /// No transaction waits longer in all; nor is anybody expected so long after an answer.
    static let longest: Duration = .milliseconds(1)
    /// So many are all waited for. Of more, every eighth is left for the next transaction: the last ones take longest,
    /// and who comes during the sync keeps the machine from falling asleep over it.
    static let few = 8
    /// After waiting in vain, at most so many transactions do without.
    static let longestRest = 64

    /// How many make the open transaction complete.
    private var expected = 0
    /// How many it had when it first waited; nil where it has not.
    private var countAtFirst: Int?
    /// What is left of the time that it may wait.
    private var patience = Duration.zero
    private var waitedSince = ContinuousClock.now
    private var lastArrival = ContinuousClock.now
    private var lastCount = 0

    /// How many are expected next.
    private var returning = 0
    private var answered = ContinuousClock.now
    private var syncTime = Duration.zero
    /// How many more transactions do without waiting, and how many when it is in vain once more.
    private var rest = 0
    private var nextRest = 1

    /// Whether the last transaction waited for anybody.
    var hasWaited: Bool { countAtFirst != nil }

    /// A transaction is opened.
    func begin(at now: ContinuousClock.Instant) {
        let isRested = rest == 0
        if !isRested { rest -= 1 }
        expected = isRested && now - answered < Self.longest ? returning : 0
        countAtFirst = nil
        patience = min(syncTime, Self.longest)
    }

    /// Whether a transaction of so many waits for more. Where it does, the time begins to count.
    func isIncomplete(with count: Int, at now: ContinuousClock.Instant) -> Bool {
        guard patience > .zero, count < expected else { return false }
        if countAtFirst == nil { countAtFirst = count }
        (waitedSince, lastArrival, lastCount) = (now, now, count)
        return true
    }

    /// Whether it goes on waiting, when so many are there.
    func goesOn(with count: Int, at now: ContinuousClock.Instant) -> Bool {
        if count > lastCount { (lastCount, lastArrival) = (count, now) }
        guard count < expected else { return false }
        guard now - lastArrival < Self.longestSilence, now - waitedSince < patience else {
            patience = .zero
            return false
        }
        return true
    }

    /// The wait is over for now, since some have come who can be written.
    func pause(at now: ContinuousClock.Instant) { patience -= now - waitedSince }

    /// The transaction is on disk, and those in it are being answered.
    ///
    /// - Parameters:
    ///   - count: how many they are.
    ///   - others: how many came too late for it.
    ///   - syncTime: how long its commit took.
    func end(with count: Int, others: Int, syncTime: Duration, at now: ContinuousClock.Instant) {
        if let countAtFirst {
            let isInVain = (count - countAtFirst) * 2 < expected - countAtFirst
            rest = isInVain ? nextRest : 0
            nextRest = isInVain ? min(nextRest * 2, Self.longestRest) : 1
        }
        let all = count + others
        returning = all <= Self.few ? all : all - all / 8
        self.syncTime = syncTime
        answered = now
    }
}
