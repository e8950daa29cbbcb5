// SPDX-License-Identifier: Apache-2.0
import RealModule
import TransferPolicy

/// A Weibull distribution. With a shape below 1, the distribution is heavy-tailed, as are the periods of every real
/// trace so far.
///
/// ```swift
/// if let periods = Weibull(shape: 0.55, mean: 2400) { print(periods.scale) }
/// ```
public struct Weibull: Hashable, Sendable {
    /// The shape of the distribution. A shape of 1 is exponential.
    public var shape: Double
    /// The scale of the distribution, in the unit of its values.
    public var scale: Double

    /// Creates a distribution. Returns `nil` unless shape and scale are positive and finite.
    public init?(shape: Double, scale: Double) {
        guard shape > 0, scale > 0, shape.isFinite, scale.isFinite else { return nil }
        self.shape = shape
        self.scale = scale
    }

    /// Creates a distribution from its shape and mean.
    public init?(shape: Double, mean: Double) {
        self.init(shape: shape, scale: mean / Double.gamma(1 + 1 / shape))
    }

    /// The mean of the distribution, in the unit of ``scale``.
    public var mean: Double { scale * Double.gamma(1 + 1 / shape) }

    /// Returns a random value.
    func value(using generator: inout SplitMix64) -> Double {
        scale * Double.pow(-Double.log(1 - generator.nextUnit()), 1 / shape)
    }

    /// Creates the maximum-likelihood distribution of positive values. Returns `nil` if there are fewer than two
    /// different values.
    ///
    /// The slope of the likelihood decreases steadily in the shape. Its zero is found by bisection, to 10⁻¹⁰.
    public init?(fitting values: [Double]) {
        let values = values.filter { $0 > 0 && $0.isFinite }
        guard let largest = values.max(), let least = values.min(), least < largest else { return nil }
        // Values are divided by the largest value, so that no power overflows.
        let logarithms = values.map { Double.log($0 / largest) }
        let meanLogarithm = logarithms.reduce(0, +) / Double(values.count)
        func slope(_ shape: Double) -> Double {
            var (sum, weighted) = (0.0, 0.0)
            for logarithm in logarithms {
                let power = Double.exp(shape * logarithm)
                sum += power
                weighted += power * logarithm
            }
            return 1 / shape + meanLogarithm - weighted / sum
        }
        var (low, high) = (1e-3, 1e3)
        guard slope(low) > 0, slope(high) < 0 else { return nil }
        while high - low > 1e-10 * low {
            let middle = (low * high).squareRoot()
            guard middle > low, middle < high else { break }
            if slope(middle) > 0 { low = middle } else { high = middle }
        }
        let shape = (low * high).squareRoot()
        let power = logarithms.reduce(0) { $0 + Double.exp(shape * $1) } / Double(values.count)
        self.init(shape: shape, scale: largest * Double.pow(power, 1 / shape))
    }
}

extension Weibull {
    /// Returns (value/scale)^shape.
    func powerOfRatio(_ value: Double) -> Double { Double.pow(value / scale, shape) }
}
