// SPDX-License-Identifier: Apache-2.0

/// Divides rates among running transfers by max-min fairness: no share can grow unless a smaller share shrinks.
///
/// The algorithm is progressive filling (Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2). All
/// shares grow at an equal pace until a limit is exhausted. The members of that limit keep their shares, and the
/// other shares continue to grow.
///
/// The first pass fills each share up to its demand. The second pass distributes the rest, so that every transfer has
/// room to grow. The worst-case cost is O(claims² · limits of a claim).
enum RateShares {
    /// The claim of one running transfer.
    struct Claim: Hashable, Sendable {
        /// The identifier of the claim.
        var id: Int64
        /// The limits that apply to the claim, without duplicates. A limit that has no rate is ignored.
        var limits: [RateLimit]
        /// The rate that the transfer can use, in bytes per second. `nil` means as much as possible.
        var demand: Int64?
    }

    /// Returns the share of each claim that is under at least one limit, in bytes per second.
    ///
    /// Each share is at least 1. Apart from this minimum, the sums of the shares stay within the limits.
    static func shares(of claims: [Claim], under limits: [RateLimit: Int64]) -> [Int64: Int64] {
        var filling = Filling(claims, limits)
        filling.fill(upToDemand: true)
        filling.fill(upToDemand: false)
        return filling.shares
    }

    /// Returns the demand of a transfer, estimated from its recent use of its share. `nil` means as much as possible.
    ///
    /// The result leaves room for growth: a quarter more than `used`, and at least `least`.
    static func demand(used: Int64, share: Int64, least: Int64) -> Int64? {
        if used.addingSaturated(used / 4) >= share { return nil }
        return max(used + used / 4, least)
    }

    private struct Filling {
        private struct Member {
            var id: Int64
            var limits: [Int]
            var demand: Int64?
            var share: Int64 = 0
        }
        private var members: [Member] = []
        private var left: [Int64]

        init(_ claims: [Claim], _ limits: [RateLimit: Int64]) {
            let sorted = limits.sorted { $0.key < $1.key }
            var indices: [RateLimit: Int] = [:]
            for (index, limit) in sorted.enumerated() { indices[limit.key] = index }
            left = sorted.map { max(0, $0.value) }
            for claim in claims {
                let own = claim.limits.compactMap { indices[$0] }
                guard !own.isEmpty else { continue }
                members.append(Member(id: claim.id, limits: own, demand: claim.demand))
            }
        }

        var shares: [Int64: Int64] {
            var shares: [Int64: Int64] = [:]
            for member in members { shares[member.id] = max(1, member.share) }
            return shares
        }

        mutating func fill(upToDemand: Bool) {
            var active = Array(members.indices)
            while !active.isEmpty {
                let counts = countMembers(active)
                var step = Int64.max
                for (index, count) in counts.enumerated() where count > 0 { step = min(step, left[index] / count) }
                if upToDemand {
                    for index in active {
                        if let demand = members[index].demand { step = min(step, demand - members[index].share) }
                    }
                }
                step = max(0, step)
                for index in active { members[index].share += step }
                for (index, count) in counts.enumerated() { left[index] -= step * count }
                // A limit that is exhausted, or has less than one byte left for each member, stops the growth of its
                // members.
                active.removeAll { index in
                    let member = members[index]
                    if upToDemand, let demand = member.demand, member.share >= demand { return true }
                    return member.limits.contains { left[$0] < counts[$0] }
                }
            }
        }

        private func countMembers(_ active: [Int]) -> [Int64] {
            var counts = [Int64](repeating: 0, count: left.count)
            for index in active {
                for limit in members[index].limits { counts[limit] += 1 }
            }
            return counts
        }
    }
}
