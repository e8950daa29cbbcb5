// SPDX-License-Identifier: Apache-2.0
import RealModule
internal import TransferModel
import TransferPolicy

/// Makes up transfers for a device: arrivals at random, two hours apart on average, of log-normal sizes around 20 MB, each
/// to be done within a day.
public enum WorkloadGenerator {
    /// The seed of the first device; each further one has the next.
    public static let firstSeed: UInt64 = 1000

    /// The jobs of one device.
    ///
    /// Arrivals end a day before the trace does, so that each has its whole time.
    public static func jobs(for trace: Trace, seed: UInt64) -> [Job] {
        var generator = SplitMix64(seed: seed)
        let start = Double(trace.start.nanosecondsSinceEpoch) / 1e9
        let end = Double(trace.end.nanosecondsSinceEpoch) / 1e9 - 86_400
        var jobs: [Job] = []
        var time = start
        while true {
            time += -7200 * Double.log(1 - generator.nextUnit())
            guard time < end else { return jobs }
            let first = generator.nextUnit()
            let second = generator.nextUnit()
            let normal = (-2 * Double.log(1 - first)).squareRoot() * Double.cos(2 * Double.pi * second)
            let bytes = Int64(min(2e9, max(1e4, 20e6 * Double.exp(1.5 * normal))))
            let arrival = WallTime(secondsSinceEpoch: Int64(time))
            jobs.append(
                Job(
                    id: Int64(jobs.count), arrival: arrival, bytes: bytes,
                    deadline: arrival.advanced(by: .seconds(86_400))))
        }
    }
}

extension SplitMix64 {
    /// A number from 0 up to but not 1, in steps of 2⁻⁵³.
    mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
