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
    /// The number of waiting transfers whose reasons are requested each time: more than fit on a screen, and few enough
    /// for a request per second.
    private static let explainedLimit = 1000

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
                case .control, .explain, .retry, .open, .hold, .release: perform(action)
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
            if let rows = try? await client.explainedList(TransferFilter(), limit: Self.explainedLimit) {
                feed.yield(.listed(rows))
            }
        }
    }

    private func perform(_ action: WatchAction) {
        Task {
            do {
                switch action {
                case .control(let id, let action): try await client.control([id], action)
                case .retry(let id):
                    let new = try await EndedTransfers(of: client).retry([id])
                    feed.yield(.performed("submitted again as \(new.map { "\($0)" }.joined(separator: ", "))"))
                case .open(let path): feed.yield(await FileOpener.open(path))
                case .hold:
                    try await client.hold(HoldRequest(seconds: nil, reason: ""))
                    feed.yield(.performed("all transfers are on hold; R ends the hold"))
                case .release:
                    try await client.hold(nil)
                    feed.yield(.performed("the hold has ended"))
                case .explain(let id): feed.yield(.explained(id, try await client.explain(id)))
                case .refresh, .quit: break  // The view itself handles these.
                }
            } catch {
                feed.yield(.refused("\(error)"))
            }
        }
    }
}
