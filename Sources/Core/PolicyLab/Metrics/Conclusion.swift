// SPDX-License-Identifier: Apache-2.0

/// The sentence with which a comparison begins: the best policy at a price of lateness, its lead, and where others win.
///
/// The cost of a policy grows in proportion to the price of a late megabyte. Two policies therefore change places at
/// most once.
struct Conclusion {
    /// The results of a policy on all devices.
    struct Result {
        var name: String
        /// The share of late bytes, 0…1.
        var late: Double
        /// The cost of the on-time bytes per submitted megabyte.
        var cost: Double

        func total(price: Double) -> Double { cost + price * late }
    }

    /// The results of all policies, without the optimum.
    let results: [Result]
    /// The price of a late megabyte.
    let price: Double

    /// Returns the sentence; `nil` if there are fewer than two policies.
    ///
    /// - Parameter interval: Returns the 95 % interval of the difference in cost per megabyte between the policy at the
    ///   first index and the policy at the second index; `nil` for a single device.
    func sentence(interval: (Int, Int) -> ClosedRange<Double>?) -> String? {
        let order = results.indices.sorted { (total($0), $0) < (total($1), $1) }
        guard let best = order.first, order.count > 1 else { return nil }
        let equals = order.filter { isEqual($0, best) }
        let start = "If a late megabyte costs \(Self.text(price)), "
        guard let next = order.first(where: { !isEqual($0, best) }) else {
            return "These policies have the same cost and the same late bytes here."
        }
        let range = interval(next, best)
        let isSure = range.map { $0.lowerBound > 0 } ?? false
        let names = equals.map { results[$0].name }.joined(separator: " and ")
        let verb = equals.count > 1 ? "are" : "is"
        let lead = Decimal.text(total(next) - total(best), digits: 3)
        let doubt = range.map {
            "95 % interval: \(Decimal.text($0.lowerBound, digits: 3)) to \(Decimal.text($0.upperBound, digits: 3))"
        }
        return start + "\(names) \(verb) best here\(isSure ? "" : ", but not surely"): a megabyte costs \(lead) less "
            + "than with \(results[next].name), the next (\(doubt ?? "one device has no interval")); \(others(best))."
    }

    /// Returns the prices at which other policies are better.
    private func others(_ best: Int) -> String {
        let own = results[best]
        func changes(_ candidates: [Int]) -> [(price: Double, name: String)] {
            candidates.map { ((results[$0].cost - own.cost) / (own.late - results[$0].late), results[$0].name) }
        }
        let later = results.indices.filter { results[$0].late > own.late + 1e-12 && results[$0].cost < own.cost }
        let earlier = results.indices.filter { results[$0].late < own.late - 1e-12 }
        func text(_ word: String, _ change: (price: Double, name: String)) -> String {
            "\(word) \(Self.text((change.price * 10).rounded() / 10)), \(change.name) is better"
        }
        let parts = [
            changes(later).max { $0.price < $1.price }.map { text("below", $0) },
            changes(earlier).min { $0.price < $1.price }.map { text("above", $0) },
        ].compactMap { $0 }
        return parts.isEmpty ? "no other policy is better at any price" : parts.joined(separator: ", and ")
    }

    private func total(_ index: Int) -> Double { results[index].total(price: price) }

    private func isEqual(_ first: Int, _ second: Int) -> Bool {
        (results[first].late - results[second].late).magnitude < 1e-9
            && (results[first].cost - results[second].cost).magnitude < 1e-9
    }

    /// Returns a price as a user writes it.
    static func text(_ price: Double) -> String {
        price == price.rounded() && price.magnitude < 1e15 ? "\(Int64(price))" : "\(price)"
    }
}
