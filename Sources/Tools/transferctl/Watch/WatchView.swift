// SPDX-License-Identifier: Apache-2.0
import TransferBusClient
import TransferModel

/// The live view in a terminal, which performs the actions that its state requests.
struct WatchView {
    let client: BusClient
    let terminal: WatchTerminal
    let feed: AsyncStream<WatchEvent>.Continuation
    /// The minimum time between two redraws.
    private static let drawInterval = Duration.milliseconds(80)
    /// The minimum time between two requests for all wait reasons.
    private static let refreshInterval = Duration.seconds(1)

    func run(_ events: AsyncStream<WatchEvent>) async throws {
        var state = WatchState()
        var lastDrawn: ContinuousClock.Instant?
        var isDrawingDue = false
        var lastRefresh: ContinuousClock.Instant?
        for await event in events {
            if case .redraw = event { isDrawingDue = false }
            for action in state.apply(event) {
                switch action {
                case .quit:
                    terminal.restore()
                    guard case .daemonEnded = event else { return }
                    throw BusClientError.failed("the daemon has ended; the next command starts it again")
                case .refresh:
                    let now = ContinuousClock.now
                    if let lastRefresh, now < lastRefresh { continue }
                    let wait = lastRefresh.map { max(.zero, $0 + Self.refreshInterval - now) } ?? .zero
                    lastRefresh = now + wait
                    refresh(after: wait)
                case .control, .explain: perform(action)
                }
            }
            let now = ContinuousClock.now
            guard !isDrawingDue else { continue }
            if let lastDrawn, now - lastDrawn < Self.drawInterval {
                isDrawingDue = true
                scheduleRedraw(Self.drawInterval - (now - lastDrawn))
                continue
            }
            draw(state)
            lastDrawn = now
        }
    }

    private func draw(_ state: WatchState) {
        let (width, height) = (Console.width(1), Console.height(1))
        terminal.draw(WatchScreen(state: state, width: width, height: height).lines.map { $0.drawn(width: width) })
    }

    private func scheduleRedraw(_ time: Duration) {
        Task {
            try? await Task.sleep(for: time)
            feed.yield(.redraw)
        }
    }

    private func refresh(after wait: Duration) {
        Task {
            if wait > .zero { try? await Task.sleep(for: wait) }
            // If the request fails, the next change repeats it.
            if let rows = try? await client.explainedList(TransferFilter()) { feed.yield(.listed(rows)) }
        }
    }

    private func perform(_ action: WatchAction) {
        Task {
            do {
                switch action {
                case .control(let id, let action): try await client.control([id], action)
                case .explain(let id): feed.yield(.explained(id, try await client.explain(id)))
                case .refresh, .quit: break  // The view itself handles these.
                }
            } catch {
                feed.yield(.refused("\(error)"))
            }
        }
    }
}
