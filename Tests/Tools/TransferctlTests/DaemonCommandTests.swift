// SPDX-License-Identifier: Apache-2.0
import Foundation
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
        "Parses durations with units",
        arguments: [
            ("90s", 90), ("30m", 1800), ("2h", 7200), ("1d", 86_400), ("7", 7), ("1h30m", 5400), ("2w", 1_209_600),
        ])
    func spans(text: String, seconds: Int64) throws {
        #expect(try TimeSpan(text, option: "for").seconds == seconds)
    }

    @Test(
        "Rejects invalid durations",
        arguments: ["", "s", "0", "1.5s", "-5m", "2y", "h2", "9223372036854775807d"])
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

    @Test("The value none removes a setting, and other settings of the same command apply")
    func removals() throws {
        let fields = try SetCommand.request(
            ["by=none", "window=none", "priority=none", "metered=allow"], now: Self.now
        )
        .fields
        #expect(
            fields == [
                "remove": .list([.string("deadline"), .string("windows")]), "priority": .integer(500),
                "metered": .string("allowed"),
            ])
        let conditions = try SetCommand.request(["when=none"], now: Self.now).fields
        #expect(
            conditions == [
                "remove": .list(["power", "link-kinds", "metered", "price-below", "custom"].map { .string($0) })
            ])
        #expect(throws: UsageError.self) { try SetCommand.request(["kind=none"], now: Self.now) }
        let url = try SetCommand.request(["url=http://h/f?a=b"], now: Self.now)
        #expect(url.url == "http://h/f?a=b" && url.constraints.isEmpty)
        for key in ["when", "not-before", "by", "window", "metered", "patience", "priority"] {
            let change = try SetCommand.request(["\(key)=none"], now: Self.now)
            #expect(change != ChangeRequest(), "\(key)=none changes nothing")
        }
    }

    @Test("A removal leaves the other constraints alone")
    func removal() throws {
        var constraints = Constraints(power: .ac, metered: .unmetered)
        constraints.deadline = DeadlineConstraint(Self.now)
        var change = ConstraintChange()
        change.removed = [.deadline, .metered]
        change.apply(to: &constraints)
        #expect(constraints == Constraints(power: .ac))
        constraints = Constraints()
        (constraints.patience, constraints.notBefore) = (.prompt, NotBeforeConstraint(Self.now))
        change.removed = ConstraintChange.Removable.allCases
        change.apply(to: &constraints)
        #expect(constraints == Constraints())
    }

    @Test("Each control command says in one line what it did")
    func confirmations() {
        #expect(PauseCommand.confirmation([TransferID(7)]) == "Paused 7.")
        #expect(CancelCommand.confirmation([TransferID(7), TransferID(9)]) == "Canceled 7, 9.")
        #expect(ResumeCommand.confirmation((1...6).map { TransferID($0) }) == "Resumed 6 transfers.")
        #expect(NowCommand.confirmation([]) == "No unfinished transfers.")
    }

    @Test("A rate never overflows its column, and a refused transfer shows no progress")
    func columns() {
        var running = TransferStatus(
            id: TransferID(1), url: "http://a/", name: "big.iso", app: "person", isUpload: false, kind: .normal,
            priority: 500, state: .running, submitted: Self.now)
        (running.bytes, running.total, running.rate) = (25_000_000, 100_000_000, 123_456_789)
        var failed = running
        (failed.id, failed.state, failed.bytes, failed.total, failed.rate) = (TransferID(2), .failed, 0, nil, nil)
        failed.name = "gone.iso"
        let lines = StatusTable([running, failed], width: 100).text.split(separator: "\n").map(String.init)
        let column = lines[0].range(of: "NAME")?.lowerBound
        #expect(column != nil && lines[1].range(of: "big.iso")?.lowerBound == column)
        #expect(lines[2].range(of: "gone.iso")?.lowerBound == column)
        #expect(!lines[2].contains(" B"), "\(lines[2])")
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
        let lines = StatusTable([running, waiting], width: 50).text.split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { Formatting.columns($0) <= 50 }, "\(lines)")
        #expect(lines[0].hasPrefix("ID  STATE"))
        #expect(lines[1].hasPrefix("12  running    25 % of 1.00 MB 2.00 MB/s"), "\(lines[1])")
        #expect(!lines.joined().contains("\u{1B}"))
        #expect(lines[2].hasPrefix("3   waiting"))
        #expect(lines[3...].joined(separator: " ").contains("on battery since 14:02"))
        #expect(lines.count == 5)
    }
}
