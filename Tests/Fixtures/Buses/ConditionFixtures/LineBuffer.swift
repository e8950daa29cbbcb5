// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The lines that a process has printed so far, each with its time.
package final class LineBuffer: Sendable {
    /// A line of output with its time.
    package struct Line: Sendable {
        package var text: String
        /// The time of arrival in nanoseconds on the boot-time clock.
        package var time: Int64
    }

    private struct State {
        var lines: [Line] = []
        var rest = Data()
        var isEnded = false
        var readCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Appends output. Empty data marks the end of the output.
    func append(_ data: Data) {
        let time = Self.now()
        state.withLock { state in
            guard !data.isEmpty else {
                state.isEnded = true
                return
            }
            state.rest.append(data)
            while let end = state.rest.firstIndex(of: 10) {
                let text = String(decoding: state.rest[..<end], as: UTF8.self)
                state.lines.append(Line(text: text, time: time))
                state.rest = Data(state.rest[(end + 1)...])
            }
        }
    }

    /// All lines so far, including those already consumed by `next`.
    package var all: [Line] { state.withLock { $0.lines } }

    /// Skips the lines received so far, so that `next` waits for later lines.
    package func skip() {
        state.withLock { $0.readCount = $0.lines.count }
    }

    /// Returns the first unread line that matches, and consumes it and all lines before it.
    ///
    /// - Throws: `FixtureError` if no line matches within `limit` or before the end of the output.
    package func next(
        within limit: Duration = .seconds(30), where fits: (String) -> Bool = { _ in true }
    ) async throws -> Line {
        let end = ContinuousClock.now + limit
        while true {
            let (found, isEnded) = state.withLock { state -> (Line?, Bool) in
                while state.readCount < state.lines.count {
                    let line = state.lines[state.readCount]
                    state.readCount += 1
                    if fits(line.text) { return (line, false) }
                }
                return (nil, state.isEnded)
            }
            if let found { return found }
            guard !isEnded, ContinuousClock.now < end else {
                let seen = all.suffix(5).map(\.text).joined(separator: "\n")
                throw FixtureError(
                    "no such line \(isEnded ? "before the end" : "within \(limit)"); the last lines:\n\(seen)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Returns the current time in nanoseconds on the boot-time clock.
    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
