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
        /// The readers that wait for more output.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Reads a process's output until its end.
    func read(_ output: FileHandle) {
        observe(output.fileDescriptor) { [self] in
            let data = output.availableData
            append(data)
            return !data.isEmpty
        }
    }

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
        wakeReaders()
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
            let (found, isEnded, count) = state.withLock { state -> (Line?, Bool, Int) in
                while state.readCount < state.lines.count {
                    let line = state.lines[state.readCount]
                    state.readCount += 1
                    if fits(line.text) { return (line, false, 0) }
                }
                return (nil, state.isEnded, state.lines.count)
            }
            if let found { return found }
            guard !isEnded, ContinuousClock.now < end else {
                let seen = all.suffix(5).map(\.text).joined(separator: "\n")
                throw FixtureError(
                    "no such line \(isEnded ? "before the end" : "within \(limit)"); the last lines:\n\(seen)")
            }
            try await waitForMore(than: count, until: end)
        }
    }

    /// Waits for the end of the output, and returns the unread lines. An incomplete last line does not count.
    package func rest(within limit: Duration = .seconds(120)) async throws -> [String] {
        let end = ContinuousClock.now + limit
        while !state.withLock(\.isEnded) {
            guard ContinuousClock.now < end else { throw FixtureError("the output did not end within \(limit)") }
            try await waitForMore(than: .max, until: end)
        }
        return state.withLock { state in
            defer { state.readCount = state.lines.count }
            return state.lines[state.readCount...].map(\.text)
        }
    }

    /// Waits until more lines have arrived, the output has ended, or the time is over.
    package func waitForMore(than count: Int, until end: ContinuousClock.Instant) async throws {
        let timer = Task {
            try await Task.sleep(until: end, clock: .continuous)
            wakeReaders()
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    let isOver = state.isEnded || state.lines.count > count || ContinuousClock.now >= end
                    if !isOver { state.waiting.append(continuation) }
                    return isOver
                }
                if isOver { continuation.resume() } else if Task.isCancelled { wakeReaders() }
            }
        } onCancel: {
            wakeReaders()
        }
        try Task.checkCancellation()
    }

    private func wakeReaders() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns the current time in nanoseconds on the boot-time clock.
    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
