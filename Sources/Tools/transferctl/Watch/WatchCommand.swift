// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel

/// The `transferctl watch` command, which shows the daemon's transfers live.
struct WatchCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the daemon's transfers live, with the machine's conditions and wait reasons.",
        discussion: """
            Transfers that wait for the same reason are listed below it; the selected one is shown in full. Keys in a \
            terminal: up and down select a transfer, p pauses, r resumes or retries, n starts now, c cancels after \
            confirmation, H puts everything on hold or ends the hold, q quits. Transfers continue after the command ends.

            If the output is not a terminal, each change of state is a line.

            Exit status: 0 after q or Ctrl-C, 143 after SIGTERM, 3 if the daemon cannot be reached or has ended.
            """)

    @Flag(help: "Write JSON: one object per line.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        let (events, feed) = AsyncStream.makeStream(of: WatchEvent.self)
        let terminal = json ? nil : WatchTerminal { feed.yield($0) }
        // The terminal is restored here, because a second signal ends the program immediately.
        let interruption = Interruption {
            terminal?.restore()
            feed.yield(.stopped)
        }
        defer {
            terminal?.restore()
            withExtendedLifetime(interruption) {}
        }
        Console.onReaderLoss { feed.yield(.stopped) }
        // Watching starts before the first request, so that no change is missed.
        let updates = try await client.updates()
        let forwarding = Task {
            for await update in updates {
                switch update {
                case .changed(let status, _): feed.yield(.changed(status))
                case .status(let status): feed.yield(.status(status))
                case .conditions, .storeError: break  // The daemon reports neither.
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
            try await write(events)
        }
        // Ctrl-C is the intended end.
        if Interruption.signal == SIGTERM { throw ExitStatus.terminated.code }
    }

    /// Prints a line for each change.
    private func write(_ events: AsyncStream<WatchEvent>) async throws {
        var lines = WatchLines(json: json)
        for await event in events {
            switch event {
            case .changed(let status): lines.show(status, nil)
            case .listed(let rows): for status in rows { lines.show(status, nil) }
            case .status(let change): lines.show(change)
            case .daemonEnded:
                throw BusClientError.failed("the daemon has ended; as a service, it starts with the next command")
            case .stopped: return
            case .refused, .performed, .key, .cleared, .redraw: break  // Only the terminal sends these.
            }
        }
    }
}
