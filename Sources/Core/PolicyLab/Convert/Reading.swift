// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A record of a machine's conditions at one moment.
struct Reading: Hashable, Sendable {
    var time: WallTime
    var power: PowerSource
    var network: Trace.Network
    /// The battery's charge, 0…1.
    var level: Double?
}

/// The rule that turns single readings into segments of a trace.
///
/// ```swift
/// var rule = ReadingRule()
/// rule.hold = .seconds(300)
/// let trace = try Trace(upower: bytes, device: "laptop", file: "history.dat", network: .wifi, rule: rule)
/// ```
public struct ReadingRule: Hashable, Sendable {
    /// The longest gap that a reading always covers. A reading lasts until the next reading if that follows within
    /// this time. Default: 150 s.
    public var maximumGap: Duration = .seconds(150)
    /// The longest gap that a reading covers if the next reading reports the same power and network. Default: 12 h.
    public var maximumUnchangedGap: Duration = .seconds(12 * 3600)
    /// The time that a reading lasts if the gap is too long. The rest of the gap is unknown. Default: 60 s.
    public var fallbackDuration: Duration = .seconds(60)

    /// Creates a rule with the default values.
    public init() {}

    /// Returns the trace that readings in chronological order produce; `nil` if there are no readings.
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
            if gap <= maximumGap || (isSame && gap <= maximumUnchangedGap) {
                add(reading.time, next.time, reading)
            } else {
                let end = reading.time.advanced(by: min(fallbackDuration, gap))
                add(reading.time, end, reading)
                add(end, next.time, nil)
            }
        }
        if let last = readings.last { add(last.time, last.time.advanced(by: fallbackDuration), last) }
        return Trace(device: device, segments: segments)
    }
}
