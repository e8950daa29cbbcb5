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

/// Reports how many devices are done, how fast, and how long the rest will take.
struct ProgressReport {
    private enum Style {
        case bar, lines, none
    }

    private let style: Style
    /// The number of devices; `nil` if it is unknown.
    private let total: Int?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var last: ContinuousClock.Instant?
    private var done = 0
    /// The devices that an earlier run had finished. They do not count for the rate.
    private var finishedBefore = 0

    init(_ options: ProgressOptions, total: Int?) {
        let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        style = options.isJSON ? .lines : isTerminal ? .bar : .none
        self.total = total
        start = clock.now
    }

    /// Counts devices that an earlier run had finished.
    mutating func resume(_ count: Int) {
        done += count
        finishedBefore += count
    }

    /// Counts a device, and reports at most once a second, or four times a second on a terminal.
    mutating func advance() {
        done += 1
        guard style != .none else { return }
        let now = clock.now
        if let last, last.duration(to: now) < (style == .bar ? .milliseconds(250) : .seconds(1)) { return }
        last = now
        report(at: now)
    }

    /// Reports the end.
    mutating func finish() {
        guard style != .none, last != nil else { return }
        report(at: clock.now)
        if style == .bar { Console.write("\n", to: STDERR_FILENO) }
    }

    private func report(at now: ContinuousClock.Instant) {
        let elapsed = start.duration(to: now) / .seconds(1)
        let state = State(done: done, total: total, rate: elapsed > 0 ? Double(done - finishedBefore) / elapsed : 0)
        Console.write(style == .bar ? "\r\(state.bar)\u{1B}[K" : "\(state.json)\n", to: STDERR_FILENO)
    }

    /// The progress at a moment.
    struct State {
        var done: Int
        /// The number of devices; `nil` if it is unknown.
        var total: Int?
        /// The devices per second.
        var rate: Double

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
            text += " devices, \(Int(rate.rounded()))/s"
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
