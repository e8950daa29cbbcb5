// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import HTTPExecutor

struct RateSharesTests {
    private typealias Claim = RateShares.Claim

    private static func claims(_ count: Int, app: String = "a") -> [Claim] {
        (1...count).map { Claim(id: Int64($0), limits: [.global, .app(app), .transfer(Int64($0))], demand: nil) }
    }

    @Test("Without a limit, there are no shares")
    func unlimited() {
        #expect(RateShares.shares(of: Self.claims(3), under: [:]).isEmpty)
        #expect(RateShares.shares(of: Self.claims(2), under: [.transfer(1): 500]) == [1: 500])
    }

    @Test("A global limit is divided evenly, and unused shares go to the others")
    func even() {
        #expect(RateShares.shares(of: Self.claims(4), under: [.global: 1000]) == [1: 250, 2: 250, 3: 250, 4: 250])
        let some = RateShares.shares(of: Self.claims(4), under: [.global: 1000, .transfer(2): 100])
        #expect(some == [1: 300, 2: 100, 3: 300, 4: 300])
    }

    @Test("An app's limit applies only to its transfers")
    func apps() {
        var claims = Self.claims(2, app: "slow")
        claims.append(Claim(id: 3, limits: [.global, .app("fast")], demand: nil))
        let shares = RateShares.shares(of: claims, under: [.global: 1000, .app("slow"): 200])
        #expect(shares == [1: 100, 2: 100, 3: 800])
    }

    @Test("Unused shares go to the others, and unneeded rates become room to grow for all")
    func demand() {
        var claims = Self.claims(2)
        claims[0].demand = 100
        #expect(RateShares.shares(of: claims, under: [.global: 1000]) == [1: 100, 2: 900])
        claims[1].demand = 300
        #expect(RateShares.shares(of: claims, under: [.global: 1000]) == [1: 400, 2: 600])
    }

    @Test("A transfer that uses four fifths of its share is unlimited; otherwise it may grow by a quarter")
    func used() {
        #expect(RateShares.demand(used: 800, share: 1000, least: 10) == nil)
        #expect(RateShares.demand(used: 790, share: 1000, least: 10) == 987)
        #expect(RateShares.demand(used: 0, share: 1000, least: 10) == 10)
    }

    @Test("Random claims never exceed a limit, leave no usable rate unassigned, and starve no transfer")
    func invariants() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SplitMix64(seed: seed)
        for round in 0..<2000 {
            let (claims, limits) = Self.draw(&generator)
            let shares = RateShares.shares(of: claims, under: limits)
            var left = limits
            for claim in claims {
                for limit in claim.limits where limits[limit] != nil {
                    left[limit]? -= shares[claim.id] ?? 0
                    // A share is at least 1, whatever the limit.
                    #expect(left[limit] ?? 0 >= -Int64(claims.count), "seed \(seed), round \(round)")
                }
            }
            for claim in claims where shares[claim.id] != nil {
                let mine = shares[claim.id] ?? 0
                // Apart from demands, each claim has an exhausted limit in which no other share is more than a
                // rounding difference larger.
                let isLimited = claim.limits.contains { limit in
                    guard let room = left[limit], room < claims.count else { return false }
                    return claims.allSatisfy { other in
                        !other.limits.contains(limit) || (shares[other.id] ?? 0) <= mine + Int64(claims.count)
                            || claim.demand.map { mine >= $0 } ?? false
                    }
                }
                #expect(
                    isLimited, "seed \(seed), round \(round), claim \(claim) of \(claims) under \(limits): \(shares)")
            }
        }
    }

    private static func draw(_ generator: inout SplitMix64) -> ([Claim], [RateLimit: Int64]) {
        var claims: [Claim] = []
        var limits: [RateLimit: Int64] = [:]
        if Bool.random(using: &generator) { limits[.global] = .random(in: 1...1_000_000, using: &generator) }
        for app in ["a", "b"] where Bool.random(using: &generator) {
            limits[.app(app)] = .random(in: 1...1_000_000, using: &generator)
        }
        if Bool.random(using: &generator) { limits[.receiving] = .random(in: 1...1_000_000, using: &generator) }
        for id in 1...Int64.random(in: 1...20, using: &generator) {
            let app = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
            let direction: RateLimit = Bool.random(using: &generator) ? .receiving : .sending
            let demand: Int64? = Bool.random(using: &generator) ? nil : .random(in: 1...300_000, using: &generator)
            claims.append(Claim(id: id, limits: [.global, .app(app), .transfer(id), direction], demand: demand))
            if Bool.random(using: &generator) { limits[.transfer(id)] = .random(in: 1...400_000, using: &generator) }
        }
        return (claims, limits)
    }
}
