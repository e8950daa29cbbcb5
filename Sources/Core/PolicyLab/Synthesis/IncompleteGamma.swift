// SPDX-License-Identifier: Apache-2.0
import RealModule

/// The regularized lower incomplete gamma function, P(a, x).
enum IncompleteGamma {
    /// Returns P(a, x) for a > 0 and x ≥ 0, accurate to about 10⁻¹⁴.
    ///
    /// Uses the series for x < a + 1, and Lentz's continued fraction otherwise. Source: Abramowitz and Stegun,
    /// "Handbook of Mathematical Functions", 6.5.29 and 6.5.31.
    static func lower(_ shape: Double, _ value: Double) -> Double {
        guard value > 0 else { return 0 }
        guard value.isFinite else { return 1 }
        let front = Double.exp(-value + shape * Double.log(value) - Double.logGamma(shape))
        return value < shape + 1 ? front * series(shape, value) : 1 - front * fraction(shape, value)
    }

    private static func series(_ shape: Double, _ value: Double) -> Double {
        var (term, sum, denominator) = (1 / shape, 1 / shape, shape)
        for _ in 0..<10_000 {
            denominator += 1
            term *= value / denominator
            sum += term
            if term < sum * 1e-16 { break }
        }
        return sum
    }

    private static func fraction(_ shape: Double, _ value: Double) -> Double {
        let least = 1e-300
        var base = value + 1 - shape
        var (upper, lower) = (1 / least, 1 / base)
        var result = lower
        for step in 1..<10_000 {
            let factor = -Double(step) * (Double(step) - shape)
            base += 2
            lower = factor * lower + base
            if lower.magnitude < least { lower = least }
            upper = base + factor / upper
            if upper.magnitude < least { upper = least }
            lower = 1 / lower
            let change = lower * upper
            result *= change
            if (change - 1).magnitude < 1e-16 { break }
        }
        return result
    }
}
