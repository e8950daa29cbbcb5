// SPDX-License-Identifier: Apache-2.0
import RealModule
import TransferPolicy

/// A Weibull distribution: with a shape below 1 heavy-tailed, as the periods of every real trace seen are.
public struct Weibull: Hashable, Sendable {
    /// Its shape; 1 is exponential.
    public var shape: Double
    /// Its scale, in the unit of the values.
    public var scale: Double

    /// A distribution; nil unless both are above 0 and finite.
    public init?(shape: Double, scale: Double) {
        guard shape > 0, scale > 0, shape.isFinite, scale.isFinite else { return nil }
        self.shape = shape
        self.scale = scale
    }

    /// The distribution of that shape with a mean.
    public init?(shape: Double, mean: Double) {
        self.init(shape: shape, scale: mean / Double.gamma(1 + 1 / shape))
    }

    /// Its mean.
    public var mean: Double { scale * Double.gamma(1 + 1 / shape) }

    /// A value at random.
    func value(using generator: inout SplitMix64) -> Double {
        scale * Double.pow(-Double.log(1 - generator.nextUnit()), 1 / shape)
    }

    /// The most likely distribution of values above 0; nil where there are fewer than two different ones.
    ///
    /// The shape is where the likelihood's slope is none, which falls steadily: found by halving, to 10⁻¹⁰.
    public init?(fitting values: [Double]) {
        let values = values.filter { $0 > 0 && $0.isFinite }
        guard let largest = values.max(), let least = values.min(), least < largest else { return nil }
        // Against the largest, so that no power overflows.
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
    /// (value/scale)^shape.
    func powerOfRatio(_ value: Double) -> Double { Double.pow(value / scale, shape) }
}
