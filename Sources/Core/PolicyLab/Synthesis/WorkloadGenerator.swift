// SPDX-License-Identifier: Apache-2.0
import RealModule
internal import TransferModel
import TransferPolicy

/// Generates random jobs for a device. The mean time between arrivals is two hours, sizes are log-normal around 20
/// MB, and each job has a deadline after one day by default.
public enum WorkloadGenerator {
    /// The seed of the first device. Each further device uses the next number.
    public static let firstSeed: UInt64 = 1000

    /// Returns the jobs of one device. No job arrives so late that its deadline is after the end of the trace, so that
    /// each job has its full time.
    ///
    /// - Parameters:
    ///   - trace: The days of the device.
    ///   - seed: The seed of arrivals and sizes. The jobs of a shorter deadline begin with those of a longer one.
    ///   - deadline: The time from arrival to deadline. Default: one day.
    public static func jobs(for trace: Trace, seed: UInt64, deadline: Duration = .seconds(86_400)) -> [Job] {
        var generator = SplitMix64(seed: seed)
        let start = Double(trace.start.nanosecondsSinceEpoch) / 1e9
        let end = Double(trace.end.nanosecondsSinceEpoch) / 1e9 - deadline.labSeconds
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
                    deadline: arrival.advanced(by: deadline)))
        }
    }
}

extension SplitMix64 {
    /// Returns a number in 0..<1, in steps of 2⁻⁵³.
    mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
