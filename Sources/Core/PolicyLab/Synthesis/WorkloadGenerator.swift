// SPDX-License-Identifier: Apache-2.0
import RealModule
internal import TransferModel
import TransferPolicy

/// Generates random jobs for a device. The mean time between arrivals is two hours, sizes are log-normal around 20
/// MB, and each job has a deadline after one day.
public enum WorkloadGenerator {
    /// The seed of the first device. Each further device uses the next number.
    public static let firstSeed: UInt64 = 1000

    /// Returns the jobs of one device. No job arrives on the last day of the trace, so that each job has its full
    /// time.
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
    /// Returns a number in 0..<1, in steps of 2⁻⁵³.
    mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
