// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// Transfers that require a price of energy, and policies on prices.
@Suite("Prices")
struct PriceTests {
    @Test("A transfer starts when the price falls below its limit, and stops when the price rises")
    func limit() {
        Timeline.run(
            """
            given prices=0-3600:3+3600-7200:1+7200-10800:2
            t=0s submit 1 normal price=2
            expect 1 because price:3600s
            t=0s submit 2 normal price=4
            expect 2 starts at 0s
            expect 1 starts at 3600s
            expect 1 stops at 7200s
            expect 1 because price:never
            expect 2 stops at 10800s
            expect 2 because priceUnknown:10800s
            """)
    }

    @Test("A new curve applies at once, and no curve satisfies no limit")
    func revision() {
        Timeline.run(
            """
            t=0s submit 1 normal price=2
            expect 1 because priceUnknown:never
            t=10s prices 0-3600:3+3600-7200:1
            expect 1 because price:3600s
            t=20s prices 0-100:3+100-7200:1
            expect 1 starts at 100s
            t=200s prices none
            expect 1 stops at 200s
            """)
    }

    @Test("A policy on prices starts each transfer in its cheapest window, or at its latest start")
    func policy() {
        Timeline.run(
            """
            given prices=0-3600:3+3600-7200:1+7200-86400:2
            t=0s submit 1 discretionary deadline=9000s size=1000000
            expect 1 because price:3600.000001s
            t=0s submit 2 discretionary deadline=2000s size=1000000
            expect 2 starts at 0s
            expect 1 starts at 3600.000001s
            """, policy: PricePolicy())
    }

    @Test("Only a watched transfer wakes the machine for a price on the same side of its limit")
    func watched() {
        func wakes(isWatched: Bool) -> [Int64] {
            var scheduler = Scheduler(startingAt: Machine.start)
            var generator = SplitMix64(seed: 1)
            var conditions = RecoveredTransfersTests.conditions
            let start = Machine.start.wall
            conditions.priceCurve.value = PriceCurve(
                segments: [8, 6, 7].enumerated().map { hour, price in
                    PriceCurve.Segment(
                        start: start.advanced(by: .seconds(3600 * hour)),
                        end: start.advanced(by: .seconds(3600 * (hour + 1))), price: price)
                })
            var constraints = Constraints()
            constraints.price = PriceConstraint(below: 5)
            let traits = TransferTraits(constraints: constraints, host: "h", submitted: start)
            var now = Machine.start
            var effects = scheduler.apply(.conditionsChanged(conditions), at: now, using: &generator)
            effects += scheduler.apply(.submitted(TransferID(1), traits), at: now, using: &generator)
            if isWatched { effects += scheduler.apply(.watched(TransferID(1)), at: now, using: &generator) }
            var found: [Int64] = []
            while let next = effects.compactMap({ if case .wake(let next) = $0 { next } else { nil } }).last {
                now = now.advanced(by: now.instant.duration(to: next))
                found.append(Machine.start.instant.duration(to: next).components.seconds)
                effects = scheduler.apply(.woken, at: now, using: &generator)
                #expect(effects.contains(.explain(TransferID(1))), "at \(found)")
            }
            return found
        }
        #expect(wakes(isWatched: true) == [3600, 7200, 10_800])
        #expect(wakes(isWatched: false) == [])
    }

    @Test("Sentences say when and why a transfer waits for a price")
    func sentences() {
        let date = Machine.start.wall.advanced(by: .seconds(7200))
        let clock = LocalTimeRules.utc.dateAndTime(of: date)
        func phrase(_ reason: Reason) -> String { reason.phrase(localTime: .utc) }
        #expect(
            phrase(.price(0.31, limit: 0.2, until: date, knownUntil: date))
                == "waits until \(clock), when the price falls below 0.2; now 0.31")
        #expect(
            phrase(.price(0.31, limit: 0.2, until: nil, knownUntil: date))
                == "the price is 0.31; no known price until \(clock) is below 0.2")
        #expect(
            phrase(.price(0.31, limit: nil, until: date, knownUntil: date))
                == "waits until \(clock) for a lower price; now 0.31")
        #expect(
            phrase(.priceUnknown(curveEnd: date))
                == "the price is unknown: the price curve has no price now and ends \(clock)")
        #expect(phrase(.priceUnknown(curveEnd: nil)) == "the price is unknown: there is no price curve")
    }
}
