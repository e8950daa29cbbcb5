// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import ToolSupport
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("Requests to the daemon, and the output of its replies")
struct DaemonCommandTests {
    private static let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    @Test(
        "Parses durations with units", arguments: [("90s", 90), ("30m", 1800), ("2h", 7200), ("1d", 86_400), ("7", 7)])
    func spans(text: String, seconds: Int64) throws {
        #expect(try TimeSpan(text, option: "for").seconds == seconds)
    }

    @Test(
        "Rejects invalid durations",
        arguments: ["", "s", "0", "-5m", "1.5h", "2w", "h2", "9223372036854775807d"])
    func noSpans(text: String) {
        #expect(throws: UsageError.self) { try TimeSpan(text, option: "for") }
    }

    @Test("Sends only the named changes, in the daemon's form")
    func changes() throws {
        let fields = try SetCommand.request(["priority=high", "when=battery>40,wifi", "by=+1h"], now: Self.now).fields
        #expect(
            fields == [
                "priority": .integer(750), "power": .string("ac"), "battery-above": .integer(40),
                "link-kinds": .list([.string("wifi")]), "deadline": .string("2026-11-21T13:00:00.000Z"),
            ])
        #expect(
            try SetCommand.request(["kind=discretionary"], now: Self.now).fields == ["kind": .string("discretionary")])
    }

    @Test(
        "Rejects invalid changes",
        arguments: ["priority", "colour=red", "kind=soon", "priority=9999", "by=yesterday", "when=sunny"])
    func noChanges(change: String) {
        #expect(throws: UsageError.self) { try SetCommand.request([change], now: Self.now) }
    }

    @Test("Fits a list into the width, shows wait reasons, and removes control characters from names")
    func table() {
        var running = TransferStatus(
            id: TransferID(12), url: "http://a/", name: "big.iso\u{1B}[2J", app: "person", isUpload: false,
            kind: .normal,
            priority: 500, state: .running, submitted: Self.now)
        (running.bytes, running.total, running.rate) = (250_000, 1_000_000, 2_000_000)
        var waiting = running
        (waiting.id, waiting.name, waiting.state, waiting.rate) = (TransferID(3), "b", .waiting, nil)
        waiting.sentence = "on battery since 14:02 (UPower) — starts 10 s after you plug in"
        let lines = StatusTable(rows: [running, waiting], width: 50).lines
        #expect(lines.allSatisfy { Formatting.columns($0) <= 50 }, "\(lines)")
        #expect(lines[0].hasPrefix("ID  STATE"))
        #expect(lines[1].hasPrefix("12  running    25 % of 1.00 MB 2.00 MB/s"), "\(lines[1])")
        #expect(!lines.joined().contains("\u{1B}"))
        #expect(lines[2].hasPrefix("3   waiting"))
        #expect(lines[3...].joined(separator: " ").contains("on battery since 14:02"))
        #expect(lines.count == 5)
    }
}
