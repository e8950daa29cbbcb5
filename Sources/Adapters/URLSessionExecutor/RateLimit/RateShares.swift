// SPDX-License-Identifier: Apache-2.0

/// Divides rates among what runs, max-min fairly: nobody could have more without somebody with less losing some.
///
/// By progressive filling (Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2): all grow alike until a
/// limit is full, whose members stay where they are while the others go on. First up to what each can use, then with
/// what is left over, so that everybody has room to grow. Costs O(claims² · limits of a claim) at worst.
enum RateShares {
    /// What one that runs asks for.
    struct Claim: Hashable, Sendable {
        /// Names it.
        var id: Int64
        /// The bounds that it is under, each named once; those without a number do not count.
        var limits: [RateLimit]
        /// Bytes a second that it can use; nil takes all it can get.
        var demand: Int64?
    }

    /// The share of each claim that is under any limit, at least 1; the sums stay within the limits but for that.
    static func shares(of claims: [Claim], under limits: [RateLimit: Int64]) -> [Int64: Int64] {
        var filling = Filling(claims, limits)
        filling.fill(upToDemand: true)
        filling.fill(upToDemand: false)
        return filling.shares
    }

    /// What one can use, told by what it used of its share in the last while; nil where it may use any amount.
    ///
    /// Room for growth stays: a quarter above what was used, and at least `least`.
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
                // What is full, or holds less than one byte for each, is done with.
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
