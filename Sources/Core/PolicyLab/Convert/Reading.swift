// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What somebody noted of a machine at one moment.
struct Reading: Hashable, Sendable {
    var time: WallTime
    var power: PowerSource
    var network: Trace.Network
    /// 0…1.
    var level: Double?
}

/// How single readings become stretches of time.
public struct ReadingRule: Hashable, Sendable {
    /// A reading holds until the next one if that comes within this. Default 150 s.
    public var hold: Duration = .seconds(150)
    /// And within this if the next one says the same of power and network. Default 12 h.
    public var longestGap: Duration = .seconds(12 * 3600)
    /// Else it holds for this, and what follows is unknown. Default 60 s.
    public var rest: Duration = .seconds(60)

    /// The defaults.
    public init() {}

    /// The trace that readings in order of time make; nil where there is none.
    func trace(_ readings: [Reading], device: String) -> Trace? {
        var segments: [Trace.Segment] = []
        func add(_ start: WallTime, _ end: WallTime, _ reading: Reading?) {
            guard start < end else { return }
            let (power, network) = (reading?.power ?? .unknown, reading?.network ?? .unknown)
            if let last = segments.last, last.end == start, last.power == power, last.network == network {
                segments[segments.count - 1].end = end
            } else {
                segments.append(
                    Trace.Segment(start: start, end: end, power: power, network: network, level: reading?.level))
            }
        }
        for (reading, next) in zip(readings, readings.dropFirst()) {
            let gap = reading.time.duration(to: next.time)
            let isSame = reading.power == next.power && reading.network == next.network
            if gap <= hold || (isSame && gap <= longestGap) {
                add(reading.time, next.time, reading)
            } else {
                let end = reading.time.advanced(by: min(rest, gap))
                add(reading.time, end, reading)
                add(end, next.time, nil)
            }
        }
        if let last = readings.last { add(last.time, last.time.advanced(by: rest), last) }
        return Trace(device: device, segments: segments)
    }
}
