// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// An anonymized recording of one machine, for a corpus that anyone may use: conditions, and the transfers if there are
/// any.
///
/// The anonymization removes names and dates, and coarsens sizes. It does not hide habits: ``DonationCheck`` states what
/// a donation still reveals.
///
/// ```swift
/// let donation = Donation(trace: trace, jobs: jobs, name: "laptop-1f2e3d4c", zoneOffset: 3600)
/// for (name, text) in donation?.files ?? [] { print(name, text.utf8.count) }
/// ```
public struct Donation: Hashable, Sendable {
    /// The start of the week into which the recording is moved: Monday 2001-01-01 00:00.
    static let epoch: Int64 = 978_307_200
    static let week: Int64 = 604_800
    /// The steps of the battery's charge.
    static let levelSteps = 20.0
    /// The number of significant digits of sizes.
    static let sizeDigits = 2

    /// The anonymized conditions.
    public let trace: Trace
    /// The anonymized transfers, ordered by arrival.
    public let jobs: [Job]

    /// Anonymizes a recording. Returns `nil` if no period of the trace lasts for a second.
    ///
    /// - Parameters:
    ///   - trace: The conditions.
    ///   - jobs: The transfers. Those that arrived after the trace are left out, and those that
    ///     arrived before it arrive at its start.
    ///   - name: The name of the machine in the files. It should be random, and must not be derived from the machine.
    ///   - zoneOffset: The seconds by which local time is ahead of UTC at the start of the trace. The files state local
    ///     time, so that they do not tell the time zone.
    public init?(trace: Trace, jobs: [Job], name: String, zoneOffset: Int64) {
        let local = trace.start.secondsSinceEpoch + zoneOffset
        let weeks = (local - Self.epoch).quotientRoundedDown(by: Self.week)
        let shift = zoneOffset - weeks * Self.week
        func shifted(_ date: WallTime) -> WallTime {
            WallTime(secondsSinceEpoch: date.secondsSinceEpoch + shift)
        }
        var segments: [Trace.Segment] = []
        for segment in trace.segments {
            var segment = segment
            (segment.start, segment.end) = (shifted(segment.start), shifted(segment.end))
            // Whole seconds may leave nothing of a short segment.
            guard segment.start < segment.end else { continue }
            segment.level = segment.level.map { ($0 * Self.levelSteps).rounded() / Self.levelSteps }
            // The rate of a network could identify it.
            segment.rate = nil
            if let last = segments.last, last.end == segment.start, last.hasSameConditions(as: segment) {
                segments[segments.count - 1].end = segment.end
            } else {
                segments.append(segment)
            }
        }
        guard let anonymous = Trace(device: name, segments: segments) else { return nil }
        self.trace = anonymous
        var (apps, hosts) = (NumberedNames(prefix: "app"), NumberedNames(prefix: "host"))
        let inside = jobs.filter { $0.arrival < trace.end }
        let ordered = inside.sorted { ($0.arrival, $0.id) < ($1.arrival, $1.id) }
        self.jobs = ordered.enumerated().map { index, job in
            let arrival = shifted(max(job.arrival, trace.start))
            let deadline = job.deadline.map { max(shifted($0), arrival.advanced(by: .seconds(1))) }
            return Job(
                id: Int64(index + 1), arrival: arrival, bytes: Self.rounded(job.bytes), deadline: deadline,
                app: apps.name(of: job.app), host: hosts.name(of: job.host), priority: job.priority,
                expectedBytes: job.expectedBytes.map(Self.rounded), isFromBackground: job.isFromBackground)
        }
    }

    /// Returns a size with two significant digits, at least 1 unless the size is 0.
    static func rounded(_ bytes: Int64) -> Int64 {
        var (value, unit): (Int64, Int64) = (max(0, bytes), 1)
        while value >= 100 { (value, unit) = (value / 10, unit * 10) }
        let half = bytes / unit * unit + (bytes % unit >= unit / 2 && unit > 1 ? unit : 0)
        return max(0, half)
    }

    /// The names and texts of the files: the trace, the workload if there are transfers, and a description.
    public var files: [(name: String, text: String)] {
        var files = [(name: "\(trace.device).csv", text: trace.csv)]
        if !jobs.isEmpty {
            let workload = Workload(devices: [.init(name: trace.device, jobs: jobs)])
            files.append((Self.workloadName, workload.csv))
        }
        return files + [(Self.descriptionName, description)]
    }

    /// The name of the file with the transfers.
    public static let workloadName = "workload.csv"
    /// The name of the file that describes a donation.
    public static let descriptionName = "README.md"
    /// The line that states the license, which `transferlab check` requires.
    public static let licenseLine = "License: CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/)"

    private var description: String {
        """
        # Power, network, and transfers of a machine

        \(Self.licenseLine)

        Whoever publishes this folder places it in the public domain by that license.

        - `\(trace.device).csv`: the conditions, one line per period: start and end, power source, kind of network, charge
          of the battery, and whether the machine slept and the network was metered. `transferlab` reads this format.
        \(jobs.isEmpty ? "- There are no transfers of known size." : "- `\(Self.workloadName)`: the transfers: arrival, size, deadline, app, server, and priority.")

        What was changed: The name of the machine is random. Times are local times in Unix seconds, moved by a whole
        number of weeks, so that the first period is in the week of Monday 2001-01-01; they keep the day of the week and
        the time of day, but neither the date nor the time zone. After a change of the clocks, they are an hour off. The
        charge is rounded to 5 %, and sizes are rounded to two digits. Apps and servers are numbered in order of
        appearance. Names of networks, files, and URLs were never part of these files.

        What the files still reveal: when the machine was in use, plugged in, and connected, and hence when its owner was
        likely awake, at home, or away. `transferlab check .` prints it. Do not publish the folder if that is too much.

        """
    }
}

/// The numbers that replace names, in order of first appearance. An empty name stays empty.
private struct NumberedNames {
    let prefix: String
    private var numbers: [String: Int] = [:]

    init(prefix: String) { self.prefix = prefix }

    mutating func name(of original: String) -> String {
        guard !original.isEmpty else { return "" }
        let number = numbers[original] ?? numbers.count + 1
        numbers[original] = number
        return "\(prefix)-\(number)"
    }
}

extension Trace.Segment {
    fileprivate func hasSameConditions(as other: Trace.Segment) -> Bool {
        var (own, other) = (self, other)
        (own.start, own.end, other.start, other.end) = (start, end, start, end)
        return own == other
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
