// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A check of a donated folder: what it holds, what it reveals, and what should not be in it.
///
/// ```swift
/// let check = DonationCheck(traces: traces, workload: workload, description: text, otherFiles: ["notes.txt"])
/// print(check.faults)
/// ```
public struct DonationCheck: Sendable {
    private let traces: [Trace]
    private let workload: Workload?
    private let description: String?
    private let otherFiles: [String]

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - traces: The conditions, one trace per machine.
    ///   - workload: The transfers, or `nil` if there are none.
    ///   - description: The text of the file that describes the donation, or `nil` if there is none.
    ///   - otherFiles: The names of all other files in the folder.
    public init(traces: [Trace], workload: Workload?, description: String?, otherFiles: [String]) {
        (self.traces, self.workload) = (traces, workload)
        (self.description, self.otherFiles) = (description, otherFiles)
    }

    private var jobs: [Job] { workload?.devices.flatMap(\.jobs) ?? [] }

    // MARK: Content

    /// The contents of the folder, one sentence each.
    public var contents: [String] {
        let lines = traces.map { trace in
            let known = 1 - trace.unknownTime / max(trace.span, 1e-9)
            return "\(trace.device): \(days(trace.span)) days, \(trace.segments.count) periods, known for "
                + "\(percent(known)) of the time; on battery \(percent(share(of: trace) { $0.power == .battery })), "
                + "on an unmetered network \(percent(share(of: trace, where: Self.isFree))), "
                + "asleep \(percent(share(of: trace) { $0.isSuspended }))"
        }
        guard !jobs.isEmpty else { return lines + ["no transfers"] }
        let bytes = jobs.reduce(0.0) { $0 + Double($1.bytes) }
        return lines + [
            "\(jobs.count) transfers of \(Decimal.text(bytes / 1e6, digits: 0)) MB in all, "
                + "\(jobs.count { $0.deadline != nil }) with a deadline"
        ]
    }

    // MARK: Disclosure

    /// The facts about the owners of the machines that the folder reveals, one sentence each.
    public var disclosures: [String] {
        var lines = traces.flatMap(disclosures(of:))
        guard !jobs.isEmpty else { return lines }
        let apps = Set(jobs.map(\.app)).subtracting([""]).count
        let hosts = Set(jobs.map(\.host)).subtracting([""]).count
        lines.append("transfers: \(apps) apps and \(hosts) servers, and when each was used")
        let sizes = Dictionary(grouping: jobs, by: \.bytes)
        let unique = sizes.values.count { $0.count == 1 }
        lines.append(
            "sizes: \(unique) of \(sizes.count) sizes occur once; whoever knows the size of a file can look for it, "
                + "to two digits")
        return lines
    }

    private func disclosures(of trace: Trace) -> [String] {
        let awake = [trace].hourShares { $0.isKnown && !$0.isSuspended }
        let free = [trace].hourShares(where: Self.isFree)
        let absences = absences(in: trace)
        var lines = [
            "\(trace.device): in use mostly \(ranges(awake)); on an unmetered network mostly \(ranges(free))"
        ]
        if let longest = absences.max() {
            lines.append(
                "\(trace.device): \(absences.count) times without an unmetered network for more than 12 h, "
                    + "\(Decimal.text(longest / 3600, digits: 0)) h at most: likely absences from home")
        }
        if trace.segments.contains(where: { $0.network == .cell }) {
            lines.append("\(trace.device): the owner has a mobile network or a tethered phone")
        }
        return lines
    }

    private static func isFree(_ segment: Trace.Segment) -> Bool {
        TraceAnalysis.Kind.unmetered.isMet(in: segment) == true
    }

    /// Returns the hours with a share of at least a half, as ranges such as `08:00-23:00`.
    private func ranges(_ shares: [Double?]) -> String {
        let isMostly = shares.map { $0 ?? 0 >= 0.5 }
        guard isMostly.contains(true) else { return "at no particular hour" }
        guard isMostly.contains(false) else { return "at all hours" }
        var ranges: [String] = []
        for hour in 0..<24 where isMostly[hour] && !isMostly[(hour + 23) % 24] {
            var end = hour
            while isMostly[end % 24] { end += 1 }
            ranges.append("\(clock(hour))-\(clock(end % 24))")
        }
        return ranges.joined(separator: ", ")
    }

    private func clock(_ hour: Int) -> String { "\(hour < 10 ? "0" : "")\(hour):00" }

    /// Returns the lengths of the times of more than 12 hours without an unmetered network, in seconds.
    private func absences(in trace: Trace) -> [Double] {
        var (absences, last): ([Double], WallTime) = ([], trace.start)
        for segment in trace.segments where Self.isFree(segment) {
            absences.append(last.duration(to: segment.start).labSeconds)
            last = segment.end
        }
        absences.append(last.duration(to: trace.end).labSeconds)
        return absences.filter { $0 > 12 * 3600 }
    }

    // MARK: Faults

    /// The parts that should not be in a donation, one sentence each. Empty if the anonymization is as the format requires.
    public var faults: [String] {
        var faults: [String] = []
        if description?.contains("\nLicense: ") != true {
            faults.append("\(Donation.descriptionName) has no line 'License: …'; nobody may use the data without one")
        }
        faults += otherFiles.map { "\($0) is no part of a donation; remove it" }
        for trace in traces { faults += self.faults(of: trace) }
        let words = [("app", jobs.map(\.app)), ("host", jobs.map(\.host))]
        for (prefix, names) in words {
            if let name = names.first(where: { !$0.isEmpty && !Self.isPseudonym($0, prefix) }) {
                faults.append("the name '\(name)' is not a pseudonym such as \(prefix)-1")
            }
        }
        if let job = jobs.first(where: { Donation.rounded($0.bytes) != $0.bytes }) {
            faults.append("the size \(job.bytes) is not rounded to two digits")
        }
        let names = Set(traces.map(\.device))
        for device in workload?.devices ?? [] where !names.contains(device.name) {
            faults.append("\(Donation.workloadName) names \(device.name), which has no file with conditions")
        }
        return faults
    }

    private func faults(of trace: Trace) -> [String] {
        var faults: [String] = []
        if !(Donation.epoch..<(Donation.epoch + Donation.week)).contains(trace.start.secondsSinceEpoch) {
            faults.append("\(trace.device): the first period is not in the week of 2001-01-01, so dates may be real")
        }
        let levels = trace.segments.compactMap(\.level)
        if let level = levels.first(where: { ($0 * Donation.levelSteps).rounded() / Donation.levelSteps != $0 }) {
            faults.append("\(trace.device): the charge \(level) is not rounded to 0.05")
        }
        if trace.segments.contains(where: { $0.rate != nil }) {
            faults.append("\(trace.device): rates could identify networks; remove the column rate_bytes_per_s")
        }
        return faults
    }

    private static func isPseudonym(_ name: String, _ prefix: String) -> Bool {
        guard name.hasPrefix(prefix + "-") else { return false }
        let digits = name.dropFirst(prefix.count + 1)
        return !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
    }

    // MARK: Text

    private func share(of trace: Trace, where holds: (Trace.Segment) -> Bool) -> Double {
        let seconds = trace.segments.filter(holds).reduce(0) { $0 + $1.start.duration(to: $1.end).labSeconds }
        return seconds / max(trace.span, 1e-9)
    }

    private func percent(_ share: Double) -> String { "\(Decimal.text(100 * share, digits: 0)) %" }

    private func days(_ seconds: Double) -> String { Decimal.text(seconds / 86_400, digits: 1) }
}
