// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import GLibBridge
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy

/// `transferctl list`.
struct ListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the daemon's transfers: those that are not over, and why they wait.",
        discussion: """
            With --json one object with transfers, a list of objects: id, url (without its query), name, app, session, upload, \
            kind, priority, state (waiting, running, paused, finished, failed, cancelled), bytes, total, rate (bytes a \
            second), attempt, submitted, sentence, path, status, error-code, error; what is not known is left out.
            """)

    @Flag(name: .shortAndLong, help: "Those that are over, too: the latest 1000.")
    var all = false

    @Option(help: .init("Of this session only.", valueName: "name"))
    var session: String?

    @Option(help: .init("Of this app only.", valueName: "name"))
    var app: String?

    @Flag(help: "Write JSON.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func run(with client: BusClient) async throws {
        var filter = TransferFilter()
        filter.session = session
        filter.app = app
        filter.ended = all ? 1000 : 0
        let rows = try await client.explainedList(filter)
        if json {
            return Console.printJSON(StatusJSON.document(rows))
        }
        guard !rows.isEmpty else {
            let what = all ? "no transfers" : "no transfers that are not over; --all shows the others"
            return Console.error(what)
        }
        let width = Console.isTerminal(STDOUT_FILENO) ? Console.width(STDOUT_FILENO) : 200
        Console.print(StatusTable(rows: rows, width: width).lines.joined(separator: "\n"))
    }
}

/// Transfers as a table: a line each, and below it what there is to say.
struct StatusTable {
    let rows: [TransferStatus]
    let width: Int

    /// The lines, the head first.
    var lines: [String] {
        let ids = rows.map { "\($0.id)" }
        let idWidth = max(2, ids.map(\.count).max() ?? 0)
        let head = Self.padded("ID", idWidth) + "  STATE      DONE                    NAME"
        return [Formatting.fitted(head, width: width)]
            + zip(rows, ids).flatMap { row, id -> [String] in
                let line =
                    Self.padded(id, idWidth) + "  " + Self.padded(row.state.rawValue, 9) + "  "
                    + Self.padded(Self.done(row), 22) + "  " + row.name
                let note = row.error ?? row.sentence
                return [Formatting.fitted(line, width: width)]
                    + (note.map { note in
                        Formatting.wrapped(note, width: max(20, width - idWidth - 2)).map {
                            String(repeating: " ", count: idWidth + 2) + $0
                        }
                    } ?? [])
            }
    }

    /// How far it is, and how fast.
    private static func done(_ row: TransferStatus) -> String {
        let bytes = Formatting.bytes(row.bytes)
        if row.state == .finished { return bytes }
        let share = row.total.flatMap { $0 > 0 ? "\(row.bytes * 100 / $0) % of \(Formatting.bytes($0))" : nil } ?? bytes
        return row.state == .running ? share + (row.rate.map { " \(Formatting.bytes($0))/s" } ?? "") : share
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - Formatting.columns(text)))
    }
}
