// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferModel
import TransferPolicy

/// The options that select a single device and a single policy.
struct SingleOptions: ParsableArguments {
    @Option(help: "The policy, as NAME[:key=value]….")
    var policy: String = "default"

    @Option(help: "The name of the device. Optional if there is only one.")
    var device: String?

    func selectedPolicy() throws -> any Policy {
        guard let policy = try LabPolicy(policy).policy else {
            throw UsageError("the optimum is computed as a whole and has no history of single jobs")
        }
        return policy
    }

    func selected(from cases: [DeviceCase]) throws -> DeviceCase {
        guard let device else {
            guard cases.count == 1 else {
                throw UsageError("there are \(cases.count) devices; name one: --device \(cases.first?.name ?? "NAME")")
            }
            return cases[0]
        }
        guard let selected = cases.first(where: { $0.name == device || $0.trace.device == device }) else {
            let names = cases.map(\.name).joined(separator: ", ")
            throw UsageError("no such device: '\(device)'; the devices are: \(names.isEmpty ? "none" : names)")
        }
        return selected
    }
}

/// The `transferlab explain` command: prints the reasons why a job waited.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show why a job waited, period by period.")

    @OptionGroup var study: StudyOptions
    @OptionGroup var single: SingleOptions

    @Option(help: "The ID of the job.")
    var job: Int64

    func run() throws {
        let device = try single.selected(from: study.cases())
        let settings = try study.readSettings()
        try study.price.check([device.trace], settings)
        let policy = try single.selectedPolicy()
        var replay = Replay(device.trace, jobs: device.jobs, policy: policy, settings: settings)
        guard let id = replay.transferID(ofJob: job), let requestedJob = device.jobs.first(where: { $0.id == job })
        else {
            throw UsageError("\(device.name) has no job \(job)")
        }
        var history = JobHistory(of: id, on: device.trace)
        let outcome = replay.run { history.record($0, at: $1) }
        history.close(at: outcome.jobs.first { $0.id == job }?.finished ?? device.trace.end)
        var table = TextTable(columns: [
            .init("start", isNumeric: false), .init("duration"), .init("what happened", isNumeric: false),
        ])
        for span in history.spans where span.start < span.end {
            table.rows.append([
                DateText.text(span.start), TimelineDuration.text(span.start, span.end), Self.sentence(span.state),
            ])
        }
        OutputOptions.print(table)
        Console.print(Self.summary(of: requestedJob, end: outcome.jobs.first { $0.id == job }?.finished))
    }

    /// Returns the state of a job as a sentence without its period.
    static func sentence(_ state: String) -> String {
        switch state {
        case "running": "Running"
        case "not recorded": "Power or network was not recorded, so nothing moved"
        default: "Waiting: \(state)"
        }
    }

    /// Returns a job's size, dates, and delay in one line.
    static func summary(of job: Job, end: WallTime?) -> String {
        var parts = [
            "Job \(job.id): \(job.bytes.formatted(.number.locale(.init(identifier: "en")))) bytes",
            "submitted \(DateText.text(job.arrival))",
        ]
        if let deadline = job.deadline { parts.append("due \(DateText.text(deadline))") }
        guard let end else { return parts.joined(separator: ", ") + ", not finished" }
        var delay = "\(TimelineDuration.text(job.arrival, end)) after submission"
        if let deadline = job.deadline {
            delay +=
                end <= deadline
                ? ", \(TimelineDuration.text(end, deadline)) before its deadline"
                : ", \(TimelineDuration.text(deadline, end)) after its deadline"
        }
        return (parts + ["finished \(DateText.text(end)) (\(delay))"]).joined(separator: ", ")
    }
}

/// The `transferlab timeline` command: draws a device's days as bands.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Draw a device's days: transfers, power, network, and sleep.")

    @OptionGroup var study: StudyOptions
    @OptionGroup var single: SingleOptions

    @Option(help: "The number of columns per day.")
    var columns: Int = 96

    func run() throws {
        guard (1...1440).contains(columns) else { throw UsageError("--columns must be from 1 to 1440") }
        let device = try single.selected(from: study.cases())
        var settings = try study.readSettings()
        try study.price.check([device.trace], settings)
        settings.recordsActivity = true
        let policy = try single.selectedPolicy()
        var replay = Replay(device.trace, jobs: device.jobs, policy: policy, settings: settings)
        let outcome = replay.run()
        Console.print("\(device.name), \(single.policy), UTC; \(TimelineText.legend)")
        for line in TimelineText.lines(device.trace, outcome.activity, columns: columns) { Console.print(line) }
    }
}

/// Dates in a format for readers and programs.
enum DateText {
    /// Returns a date in UTC, formatted by RFC 3339 to the second.
    static func text(_ date: WallTime) -> String {
        Date(timeIntervalSince1970: Double(date.secondsSinceEpoch)).formatted(.iso8601)
    }
}

/// The lengths of periods in a readable format.
enum TimelineDuration {
    static func text(_ start: WallTime, _ end: WallTime) -> String {
        let seconds = Double(end.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch) / 1e9
        let whole = Int(seconds)
        if seconds < 60 { return "\(Double(Int(seconds * 10)) / 10) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}
