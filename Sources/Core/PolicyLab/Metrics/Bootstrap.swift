// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// How far figures may move with the choice of devices: drawn again with replacement, all policies on the same draws.
public struct Bootstrap: Sendable {
    /// Which devices each draw takes.
    private let draws: [[Int]]

    /// So many draws of `count` devices.
    public init(devices count: Int, draws: Int = 1000, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // Of a single device every draw is the same.
        self.draws = (0..<(count < 2 ? 0 : draws)).map { _ in
            (0..<count).map { _ in Int.random(in: 0..<count, using: &generator) }
        }
    }

    /// The middle 95 % of a figure over the draws; nil with fewer than two devices.
    ///
    /// - Parameter figure: computed for a choice of devices, which may name one several times; nil is left out.
    public func interval(_ figure: ([Int]) -> Double?) -> ClosedRange<Double>? {
        let values = draws.compactMap(figure).sorted()
        guard let first = Summary.quantile(values, 0.025), let last = Summary.quantile(values, 0.975) else {
            return nil
        }
        return first...last
    }
}
