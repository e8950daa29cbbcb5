// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Confidence intervals by resampling devices with replacement. All policies use the same draws, so that they can be
/// compared.
///
/// ```swift
/// let bootstrap = Bootstrap(devices: sums.count, seed: 1)
/// let interval = bootstrap.interval { draw in draw.reduce(0) { $0 + sums[$1] } }
/// ```
public struct Bootstrap: Sendable {
    /// The indices of the devices in each draw.
    private let draws: [[Int]]

    /// Creates draws of `count` devices each.
    ///
    /// - Parameters:
    ///   - count: The number of devices. With fewer than two devices, there are no draws.
    ///   - draws: The number of draws. Default: 1000.
    ///   - seed: The seed of the draws. Equal seeds and counts give equal draws.
    public init(devices count: Int, draws: Int = 1000, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // With a single device, all draws would be the same.
        self.draws = (0..<(count < 2 ? 0 : draws)).map { _ in
            (0..<count).map { _ in Int.random(in: 0..<count, using: &generator) }
        }
    }

    /// Returns the middle 95 % of a statistic over all draws; `nil` if there are fewer than two devices.
    ///
    /// - Parameter statistic: Computes the statistic for a list of devices, in which a device may appear several times.
    ///   A `nil` result is ignored.
    public func interval(_ statistic: ([Int]) -> Double?) -> ClosedRange<Double>? {
        let values = draws.compactMap(statistic).sorted()
        guard let first = Summary.quantile(values, 0.025), let last = Summary.quantile(values, 0.975) else {
            return nil
        }
        return first...last
    }
}
