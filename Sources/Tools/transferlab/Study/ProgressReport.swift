// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The option for progress on standard error.
struct ProgressOptions: ParsableArguments {
    @Flag(
        name: .customLong("json-progress"),
        help: "Report progress as lines of JSON on standard error, once a second, instead of a bar on a terminal.")
    var isJSON = false
}

/// Reports on standard error how much of a long work is done, how fast, and how long the rest will take.
///
/// The bar on a terminal disappears at the end. Without a terminal, nothing is reported, unless lines of JSON are wanted.
package struct ProgressReport {
    private enum Style {
        case bar, lines, none
    }

    private let style: Style
    /// The name of what is counted, in the plural.
    private let unit: String
    /// The number of devices; `nil` if it is unknown.
    private let total: Int?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant?
    private var done = 0
    /// The devices that an earlier run had finished. They do not count for the rate.
    private var finishedBefore = 0

    /// Creates a report, which shows the bar at once.
    ///
    /// - Parameters:
    ///   - unit: The name of what is counted, in the plural.
    ///   - total: The number of units; `nil` if it is unknown.
    ///   - isJSON: Whether lines of JSON are written in place of a bar.
    package init(_ unit: String, total: Int?, isJSON: Bool = false) {
        let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        style = isJSON ? .lines : isTerminal ? .bar : .none
        (self.unit, self.total) = (unit, total)
        start = clock.now
        if style == .bar { report(at: start) }
    }

    /// Counts devices that an earlier run had finished.
    mutating func resume(_ count: Int) {
        done += count
        finishedBefore += count
    }

    /// Counts a unit, and reports at most once a second, or four times a second on a terminal.
    package mutating func advance() {
        done += 1
        guard style != .none else { return }
        let now = clock.now
        if let last, last.duration(to: now) < (style == .bar ? .milliseconds(250) : .seconds(1)) { return }
        last = now
        report(at: now)
    }

    /// Removes the bar, or reports the end as a line of JSON.
    package func finish() {
        if style == .bar { Self.clearLine() }
        if style == .lines, last != nil { report(at: clock.now) }
    }

    /// Removes a bar that may stand on the last line of the terminal.
    package static func clearLine() {
        if isatty(STDERR_FILENO) == 1 { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    private func report(at now: ContinuousClock.Instant) {
        let elapsed = start.duration(to: now) / .seconds(1)
        let state = State(
            done: done, total: total, rate: elapsed > 0 ? Double(done - finishedBefore) / elapsed : 0,
            unit: unit)
        Console.write(style == .bar ? "\r\(state.bar)\u{1B}[K" : "\(state.json)\n", to: STDERR_FILENO)
    }

    /// The progress at a moment.
    struct State {
        var done: Int
        /// The number of devices; `nil` if it is unknown.
        var total: Int?
        /// The units per second.
        var rate: Double
        var unit = "devices"

        private var secondsLeft: Double? {
            guard let total, rate > 0 else { return nil }
            return Double(total - done) / rate
        }

        /// The progress as a line for a terminal.
        var bar: String {
            var text = "\(done)"
            if let total, total > 0 {
                let filled = min(24, done * 24 / total)
                let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 24 - filled)
                text = "[\(bar)] \(done) of \(total)"
            }
            text += " \(unit)"
            if rate > 0 { text += rate < 1 ? ", \(Int((rate * 60).rounded()))/min" : ", \(Int(rate.rounded()))/s" }
            if let secondsLeft, secondsLeft > 0 { text += ", \(Study.shortDuration(secondsLeft)) left" }
            return text
        }

        /// The progress as a JSON document.
        var json: String {
            var pairs = ["\"devices\":\(done)"]
            if let total { pairs.append("\"total\":\(total)") }
            pairs.append("\"per_second\":\((rate * 10).rounded() / 10)")
            if let secondsLeft { pairs.append("\"seconds_left\":\(Int(secondsLeft.rounded()))") }
            return "{\(pairs.joined(separator: ","))}"
        }
    }
}
