// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferBusClient
import TransferModel

/// The live view in a terminal, which performs the actions that its state requests.
struct WatchView {
    let client: BusClient
    let terminal: WatchTerminal
    let feed: AsyncStream<WatchEvent>.Continuation
    /// The number of waiting transfers whose reasons are requested each time: more than fit on a screen, and few enough
    /// for a request per second.
    private static let explainedLimit = 1000

    func run(_ events: AsyncStream<WatchEvent>) async throws {
        var state = WatchState()
        var drawn: [String] = []
        var (draws, refreshes) = (Pace(interval: .milliseconds(80)), Pace(interval: .seconds(1)))
        for await event in events {
            if case .redraw = event {
                draw(state, over: &drawn)
                continue
            }
            if case .cleared = event { drawn = [] }
            for action in state.apply(event) {
                switch action {
                case .quit:
                    terminal.restore()
                    guard case .daemonEnded = event else { return }
                    throw BusClientError.failed("the daemon has ended; as a service, it starts with the next command")
                case .refresh: if let delay = refreshes.delay() { perform(action, after: delay) }
                case .control, .retry, .hold: perform(action)
                }
            }
            if let delay = draws.delay() {
                Task {
                    try? await Task.sleep(for: delay)
                    feed.yield(.redraw)
                }
            }
        }
    }

    /// Shows the state. Writes only the lines that differ from the previous screen, in a single write.
    private func draw(_ state: WatchState, over drawn: inout [String]) {
        let (width, height) = (Console.width(1), Console.height(1))
        let screen = WatchScreen(state: state, width: width, height: height).lines.map { $0.drawn(width: width) }
        let lines = screen + Array(repeating: "", count: max(0, drawn.count - screen.count))
        let changed = lines.indices.filter { $0 >= drawn.count || drawn[$0] != lines[$0] }
        drawn = lines
        let text = changed.map { "\u{1B}[\($0 + 1);1H\u{1B}[2K" + lines[$0] }.joined()
        if !text.isEmpty { Console.write(text, to: STDOUT_FILENO) }
    }

    private func perform(_ action: WatchAction, after delay: Duration = .zero) {
        Task {
            do {
                if delay > .zero { try await Task.sleep(for: delay) }
                switch action {
                case .control(let id, let action): try await client.control([id], action)
                case .retry(let id):
                    let new = try await EndedTransfers(of: client).retry([id])
                    feed.yield(.performed("submitted again as \(new.map { "\($0)" }.joined(separator: ", "))"))
                case .hold(let isHeld):
                    try await client.hold(isHeld ? HoldRequest(seconds: nil, reason: "") : nil)
                    feed.yield(.performed(isHeld ? "all transfers are on hold; H ends the hold" : "the hold has ended"))
                case .refresh:
                    // If the request fails, the next change repeats it.
                    let rows = try? await client.explainedList(TransferFilter(), limit: Self.explainedLimit)
                    if let rows { feed.yield(.listed(rows)) }
                case .quit: break  // The view itself ends.
                }
            } catch {
                feed.yield(.refused("\(error)"))
            }
        }
    }
}

/// Something that happens at most once per interval. A request that comes too early is delayed.
private struct Pace {
    let interval: Duration
    private var last: ContinuousClock.Instant?

    init(interval: Duration) { self.interval = interval }

    /// Returns the delay until the requested time, or `nil` if an earlier request is still to come.
    mutating func delay() -> Duration? {
        let now = ContinuousClock.now
        if let last, last > now { return nil }
        let time = last.map { max(now, $0 + interval) } ?? now
        last = time
        return time - now
    }
}
