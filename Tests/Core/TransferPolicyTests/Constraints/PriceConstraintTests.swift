// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("The constraint on prices")
struct PriceConstraintTests {
    private static func curve(_ pieces: [(Int64, Int64, Double)]) -> PriceCurve {
        PriceCurve(
            segments: pieces.map {
                .init(
                    start: Sample.monday.advanced(by: .seconds($0)), end: Sample.monday.advanced(by: .seconds($1)),
                    price: $2)
            })
    }

    private func words(_ limit: Double, _ curve: PriceCurve?, at seconds: Double) -> String {
        let context = Sample.context(at: seconds) {
            $0.conditions.priceCurve = Fact(curve, source: curve == nil ? .none : .priceCurve, since: Sample.now)
        }
        guard let constraint = PriceConstraint(below: limit) else { return "invalid" }
        return Sample.words(constraint.verdict(at: context.now, under: context.conditions))
    }

    @Test("A transfer runs while the price is below the limit, and the next change is the re-evaluation")
    func follows() {
        let curve = Self.curve([(0, 100, 3), (100, 200, 1), (200, 300, 2), (300, 400, 1), (500, 600, 1)])
        #expect(words(2, curve, at: 0) == "price @100.0")
        #expect(words(2, curve, at: 99.5) == "price @100.0")
        #expect(words(2, curve, at: 100) == "run @200.0")
        #expect(words(2, curve, at: 250) == "price @300.0")
        // A price that is not known is not below the limit.
        #expect(words(2, curve, at: 350) == "run @400.0")
        #expect(words(2, curve, at: 400) == "priceUnknown @500.0")
        #expect(words(9, curve, at: 0) == "run @400.0")
        #expect(words(1, curve, at: 0) == "price")
        #expect(words(2, curve, at: 600) == "priceUnknown")
        #expect(words(2, curve, at: -10) == "priceUnknown @100.0")
        #expect(words(2, nil, at: 0) == "priceUnknown")
        #expect(words(2, Self.curve([]), at: 0) == "priceUnknown")
        #expect(words(.nan, curve, at: 0) == "invalid")
    }

    @Test("A window and a price limit must both let the transfer run")
    func schedule() {
        var constraints = Constraints(
            window: WindowConstraint(windows: [.init(start: 150, end: 350)]), price: PriceConstraint(below: 2))
        let conditions = Sample.conditions {
            $0.priceCurve = Fact(
                Self.curve([(0, 100, 3), (100, 140, 1), (140, 200, 3), (200, 600, 1)]), source: .priceCurve,
                since: Sample.now)
        }
        func schedule(at seconds: Int64) -> String {
            let (isOpen, change) = constraints.schedule(
                at: Sample.now.advanced(by: .seconds(seconds)), under: conditions)
            return "\(isOpen) \(change.map { Sample.monday.duration(to: $0).components.seconds } ?? -1)"
        }
        #expect(schedule(at: 0) == "false 200")
        #expect(schedule(at: 200) == "true 350")
        // The next window opens after the end of the prices.
        #expect(schedule(at: 350) == "false -1")
        constraints.price = nil
        #expect(schedule(at: 0) == "false 150")
    }
}
