// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// `transferctl watch`: the daemon's transfers, live.
struct WatchCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the daemon's transfers live, with what the machine is like and why they wait.",
        discussion: """
            In a terminal: up and down select, p pauses, r resumes, n starts now, c cancels after a question, w says why, \
            q quits; the transfers go on. It draws only when something changes.

            Elsewhere each change of state is a line. With --json each change is an object: event (transfer, with the keys of \
            'transferctl list'; conditions; hold), time and what belongs to it.

            Status 0 after q or Ctrl-C, 143 after SIGTERM, 3 when there is no daemon or it has ended.
            """)

    @Flag(help: "Write JSON: one object a line.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let (events, feed) = AsyncStream.makeStream(of: WatchEvent.self)
        let terminal = json ? nil : WatchTerminal { feed.yield($0) }
        // Put back at once: a second signal ends the program where it stands.
        let interruption = Interruption {
            terminal?.restore()
            feed.yield(.stopped)
        }
        defer {
            terminal?.restore()
            withExtendedLifetime(interruption) {}
        }
        Console.whenReaderIsGone { feed.yield(.stopped) }
        // Watched first, asked second: no change falls between.
        let updates = try await client.updates()
        let forwarding = Task {
            for await update in updates {
                switch update {
                case .changed(let status): feed.yield(.changed(status))
                case .status(let status): feed.yield(.status(status))
                }
            }
            feed.yield(.daemonEnded)
        }
        defer { forwarding.cancel() }
        feed.yield(.status(try await client.status()))
        feed.yield(.listed(try await client.explainedList(TransferFilter())))
        if let terminal {
            try await WatchView(client: client, terminal: terminal, feed: feed).run(events)
        } else {
            Console.watchReader()
            try await WatchLines(json: json).run(events)
        }
        // Ctrl-C is how it is meant to end.
        if interruption.signal == SIGTERM { throw ExitStatus.terminated.code }
    }
}

/// The live view in a terminal: carries out what its state wants done.
private struct WatchView {
    let client: BusClient
    let terminal: WatchTerminal
    let feed: AsyncStream<WatchEvent>.Continuation
    /// Between two drawings, and between two questions why all wait.
    private static let drawInterval = Duration.milliseconds(80)
    private static let refreshInterval = Duration.seconds(1)

    func run(_ events: AsyncStream<WatchEvent>) async throws {
        var state = WatchState()
        var lastDrawn: ContinuousClock.Instant?
        var isDrawingDue = false
        var lastRefresh: ContinuousClock.Instant?
        for await event in events {
            if case .redraw = event { isDrawingDue = false }
            for order in state.apply(event) {
                switch order {
                case .quit:
                    terminal.restore()
                    guard case .daemonEnded = event else { return }
                    throw BusClientError.failed("it has ended; the next command starts it again")
                case .refresh:
                    let now = ContinuousClock.now
                    if let lastRefresh, now < lastRefresh { continue }
                    let wait = lastRefresh.map { max(.zero, $0 + Self.refreshInterval - now) } ?? .zero
                    lastRefresh = now + wait
                    refresh(after: wait)
                case .control, .explain: carryOut(order)
                }
            }
            let now = ContinuousClock.now
            guard !isDrawingDue else { continue }
            if let lastDrawn, now - lastDrawn < Self.drawInterval {
                isDrawingDue = true
                later(Self.drawInterval - (now - lastDrawn))
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

    private func later(_ time: Duration) {
        Task {
            try? await Task.sleep(for: time)
            feed.yield(.redraw)
        }
    }

    private func refresh(after wait: Duration) {
        Task {
            if wait > .zero { try? await Task.sleep(for: wait) }
            // What cannot be asked now is asked again with the next change.
            if let rows = try? await client.explainedList(TransferFilter()) { feed.yield(.listed(rows)) }
        }
    }

    private func carryOut(_ order: WatchOrder) {
        Task {
            do {
                switch order {
                case .control(let id, let action): try await client.control([id], action)
                case .explain(let id): feed.yield(.explained(id, try await client.explain(id)))
                case .refresh, .quit: break  // The view's own affair.
                }
            } catch {
                feed.yield(.refused("\(error)"))
            }
        }
    }
}

/// The same for programs and files: a line for each change.
private struct WatchLines {
    let json: Bool

    func run(_ events: AsyncStream<WatchEvent>) async throws {
        var states: [TransferID: TransferStatus.State] = [:]
        var known = DaemonStatus()
        for await event in events {
            switch event {
            case .changed(let status): tell(status, &states)
            case .listed(let rows): for status in rows { tell(status, &states) }
            case .status(let status):
                if let conditions = status.conditions, conditions != known.conditions {
                    known.conditions = conditions
                    tell(conditions)
                }
                if let hold = status.held, hold != known.held {
                    known.held = hold
                    tell(hold)
                }
            case .daemonEnded: throw BusClientError.failed("it has ended; the next command starts it again")
            case .stopped: return
            case .explained, .refused, .key, .redraw: break  // Of the terminal.
            }
        }
    }

    private func tell(_ status: TransferStatus, _ states: inout [TransferID: TransferStatus.State]) {
        let isNew = states.updateValue(status.state, forKey: status.id) != status.state
        if json { return write("transfer", ["transfer": status.fields.mapValues(\.json)]) }
        guard isNew else { return }
        let note = status.error ?? status.sentence
        let text = "\(status.id) \(status.state.rawValue) \(status.name)" + (note.map { ": \($0)" } ?? "")
        Console.print(text.printable)
    }

    private func tell(_ hold: HoldStatus) {
        if json { return write("hold", ["hold": hold.fields.mapValues(\.json)]) }
        Console.print((WatchConditions.hold(hold).map { "held: \($0)" } ?? "not held").printable)
    }

    private func tell(_ report: ConditionsReport) {
        if json { return write("conditions", ["conditions": report.fields.mapValues(\.json)]) }
        let conditions = WatchConditions(report)
        Console.print("power \(conditions.power); network \(conditions.network)".printable)
    }

    private func write(_ event: String, _ fields: [String: Any]) {
        let now = Date.now.timeIntervalSince1970
        var object = fields
        object["event"] = event
        object["time"] = Formatting.rfc3339(WallTime(nanosecondsSinceEpoch: Int64(now * 1e3) * 1_000_000))
        JSONLine.print(object)
    }
}
