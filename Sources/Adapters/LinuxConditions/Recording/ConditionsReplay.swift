// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TransferModel
import TransferPolicy

/// Decodes a recording again, with the same code that decoded it originally, and compares the resulting conditions
/// with the published ones.
///
/// ```swift
/// let replay = try ConditionsReplay(bytes, file: "laptop.jsonl")
/// print("\(replay.observations) observations, \(replay.published.count) snapshots")
/// ```
///
/// A recording is text with one JSON object per line. The first line is the header:
/// ```json
/// {"format":"background-transfer/conditions","version":1,"settling":{"power":200,"path":50,"metered":150},…}
/// ```
/// Each other line has two clocks: `boot` (nanoseconds on the boot-time clock) and `wall` (nanoseconds since 1970). The
/// line also contains one of the following:
/// - An observation, named after its source: `power`, `path`, `networkManager`, `leases`, and so on.
/// - `published`, the facts that resulted from the preceding line.
///
/// An incomplete last line is ignored.
public struct ConditionsReplay: Sendable {
    /// The conditions that the replay published, in order.
    public private(set) var published: [Conditions] = []
    /// The time of each element of `published`.
    public private(set) var times: [ClockReading] = []
    /// The number of observations.
    public private(set) var observations = 0
    /// A Boolean value that indicates whether the end of the recording was cut off.
    public private(set) var isCutShort = false

    /// The recording with the published conditions replaced by those that the current decoders produce.
    package private(set) var renewed = ""

    /// Replays a recording.
    ///
    /// - Parameters:
    ///   - recording: The bytes of the recording, one JSON object per line.
    ///   - file: The name of the recording in errors.
    /// - Throws: `RecordingError` for the first line that is invalid, or whose conditions differ from the published
    ///   ones.
    public init(_ recording: some Sequence<UInt8>, file: String) throws(RecordingError) {
        try self.init(recording, file: file, ignoresPublished: false)
    }

    /// Replays a recording. If `ignoresPublished` is true, the published conditions are not compared.
    package init(_ recording: some Sequence<UInt8>, file: String, ignoresPublished: Bool) throws(RecordingError) {
        var lines = Array(recording).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The text after the last line feed.
        let rest = lines.popLast() ?? []
        if !rest.isEmpty {
            isCutShort = (try? JSONSerialization.jsonObject(with: Data(rest))) == nil
            if !isCutShort { lines.append(rest) }
        }
        guard let first = lines.first else {
            throw RecordingError(file: file, line: 1, problem: "is empty; a recording begins with a header")
        }
        var run = Run(header: try Self.header(first, file: file), file: file)
        renewed = String(decoding: first, as: UTF8.self) + "\n"
        for (index, line) in lines.enumerated().dropFirst() {
            run.line = index + 1
            let recorded = try run.decode(line)
            guard let observation = recorded.observation else {
                if !ignoresPublished { try run.compare(recorded) }
                continue
            }
            if !ignoresPublished { try run.expectNothing() }
            renewed += String(decoding: line, as: UTF8.self) + "\n"
            guard let conditions = try run.process(observation, at: recorded.time) else { continue }
            published.append(conditions)
            times.append(recorded.time)
            renewed += RecordingText.line(RecordedLine(conditions, at: recorded.time)) + "\n"
        }
        observations = run.count
        // No check for missing conditions here: the last snapshot may have been cut off with its line.
    }

    private static func header(_ line: some Sequence<UInt8>, file: String) throws(RecordingError) -> RecordingHeader {
        func failure(_ problem: String) -> RecordingError { RecordingError(file: file, line: 1, problem: problem) }
        let header: RecordingHeader
        do {
            header = try RecordingText.decode(RecordingHeader.self, from: line)
        } catch {
            throw failure("is not the header of a recording: \(RecordingError.words(error))")
        }
        guard header.format == RecordingHeader.formatName else {
            throw failure("the format is '\(header.format)'; '\(RecordingHeader.formatName)' was expected")
        }
        guard header.version == RecordingHeader.currentVersion else {
            throw failure("the version is \(header.version); this program reads \(RecordingHeader.currentVersion)")
        }
        return header
    }

    /// The state of a replay in progress.
    private struct Run {
        var file: String
        var line = 1
        var count = 0
        private let debounceTimes: RecordingHeader.DebounceTimes
        private var fold: ConditionsFold
        private var due: RecordedConditions?
        private var last: ClockReading?
        /// The start of each running timer.
        private var timers: [DebouncedReading: Instant] = [:]

        init(header: RecordingHeader, file: String) {
            self.file = file
            debounceTimes = header.debounceTimes
            fold = ConditionsFold(
                localTime: header.localTime.rules, pathDebounce: .milliseconds(Int(header.debounceTimes.path)))
        }

        func failure(_ problem: String) -> RecordingError { RecordingError(file: file, line: line, problem: problem) }

        func decode(_ text: some Sequence<UInt8>) throws(RecordingError) -> RecordedLine {
            do {
                return try RecordingText.decode(RecordedLine.self, from: text)
            } catch is Observation.AmbiguousError {
                throw failure("must contain exactly one known observation")
            } catch {
                throw failure("is not a line of a recording: \(RecordingError.words(error))")
            }
        }

        /// Processes an observation and returns the conditions to publish, if any.
        mutating func process(_ observation: Observation, at now: ClockReading) throws(RecordingError) -> Conditions? {
            if let last, now.instant < last.instant {
                throw failure("the boot-time clock goes backward, from \(last.instant.nanoseconds)")
            }
            last = now
            count += 1
            try checkTimers(observation, at: now.instant)
            let outcome = fold.process(observation, at: now)
            for order in outcome.orders { apply(order, at: now.instant) }
            due = outcome.conditions.map(RecordedConditions.init)
            return outcome.conditions
        }

        /// Checks that an observation at the end of a debounce does not come before the debounce has ended.
        private mutating func checkTimers(_ observation: Observation, at now: Instant) throws(RecordingError) {
            switch observation {
            case .path(_, .first): timers[.path] = now
            case .path(_, .afterDebounce): try checkTimer(.path, debounceTimes.path, now)
            case .power(_, _, .afterDebounce): try checkTimer(.power, debounceTimes.power, now)
            case .meteredDebounceEnded: try checkTimer(.price, debounceTimes.metered, now)
            case .power, .kernelEvent, .networkManager, .modemManager, .networkPortal, .powerProfile, .login, .leases,
                .overrides, .prices, .custom, .localTime, .firstSnapshotIsDue:
                break
            }
        }

        private mutating func checkTimer(
            _ reading: DebouncedReading, _ milliseconds: UInt32, _ now: Instant
        ) throws(RecordingError) {
            guard let start = timers.removeValue(forKey: reading) else {
                throw failure("the debounce of the \(reading) ended without a preceding change")
            }
            // The timers use a separate clock, so one millisecond of difference is allowed.
            guard start.duration(to: now) >= .milliseconds(Int(milliseconds) - 1) else {
                throw failure(
                    "the debounce of the \(reading) ended after \(start.duration(to: now)); expected \(milliseconds) ms"
                )
            }
        }

        private mutating func apply(_ order: ConditionsFold.Order, at now: Instant) {
            switch order {
            case .startTimer(let reading): timers[reading] = now
            case .stopTimer(let reading): timers[reading] = nil
            case .pathChanged, .readPrices: break  // the resulting reads have lines of their own
            }
        }

        mutating func compare(_ recorded: RecordedLine) throws(RecordingError) {
            guard let published = recorded.published else { return }
            guard let due else { throw failure("unexpected published conditions") }
            let differences = published.differences(from: due)
            guard differences.isEmpty else { throw failure(differences.joined(separator: "; ")) }
            self.due = nil
        }

        func expectNothing() throws(RecordingError) {
            guard let due else { return }
            let facts = due.facts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.value ?? "none")" }
            throw failure("expected published conditions before this: \(facts.joined(separator: ", "))")
        }
    }
}

extension RecordingError {
    /// Returns the problem that the JSON decoder found, in few words.
    fileprivate static func words(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let context):
            "'\(key.stringValue)' is missing\(location(context.codingPath))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.debugDescription + location(context.codingPath)
        default: "\(error)"
        }
    }

    private static func location(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "" : " in " + path.map(\.stringValue).joined(separator: ".")
    }
}
