// SPDX-License-Identifier: Apache-2.0
import PolicyLab
import TransferModel
import TransferPolicy

/// Random days and jobs from a seed.
struct LabGenerator {
    private var generator: SplitMix64
    var settings = ReplaySettings()

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func whole(in range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }

    mutating func chance(_ percent: Int64) -> Bool { whole(in: 1...100) <= percent }

    /// Returns a trace of some days, with segments between a minute and several hours.
    mutating func trace(segments count: Int = 60) -> Trace {
        var segments: [Trace.Segment] = []
        var time: Int64 = 0
        for _ in 0..<count {
            if chance(5) { time += whole(in: 1...5000) }
            let end = time + whole(in: 60...20_000)
            segments.append(
                Trace.Segment(
                    start: Days.date(time), end: Days.date(end),
                    power: [.ac, .battery, .battery, .unknown].randomElement(using: &generator) ?? .ac,
                    network: Trace.Network.allCases.randomElement(using: &generator) ?? .wifi,
                    level: chance(80) ? Double(whole(in: 0...100)) / 100 : nil, isSuspended: chance(5),
                    rate: chance(10) ? whole(in: 0...5_000_000) : nil, metered: chance(5) ? chance(50) : nil))
            time = end
        }
        return Trace(device: "random", segments: segments)!
    }

    mutating func jobs(count: Int64 = 40, latest: Int64 = 600_000) -> [Job] {
        (0..<count).map { id in
            let arrival = whole(in: -10_000...latest)
            var job = Days.job(id, at: arrival, bytes: whole(in: 0...4_000_000_000), by: nil)
            if chance(90) { job.deadline = Days.date(arrival + whole(in: 1...200_000)) }
            return job
        }
    }

    /// Returns a segment in two parts.
    mutating func cut(_ segment: Trace.Segment) -> [Trace.Segment] {
        let length = segment.start.duration(to: segment.end)
        var (first, second) = (segment, segment)
        first.end = segment.start.advanced(by: length / Int(whole(in: 2...9)))
        second.start = first.end
        return [first, second]
    }
}
