// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import PolicyLab
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite struct RecordedPastTests {
    private static let now = WallTime(secondsSinceEpoch: 1_780_000_000)

    private func span(
        _ start: String, _ end: String?, power: String = "ac", network: String = "full", link: String = "wifi",
        metered: String = "no"
    ) -> VariantValue {
        var fields: [String: VariantValue] = [
            "start": .string(start), "power": .string(power), "network": .string(network),
            "linkKind": .string(link), "metered": .string(metered), "asleep": .bool(false), "level": .integer(80),
        ]
        fields["end"] = end.map(VariantValue.string)
        return .dictionary(fields)
    }

    private let transfer = VariantValue.dictionary([
        "id": .integer(7), "name": .string("a.bin"), "app": .string("person"), "host": .string("http://h:80"),
        "priority": .integer(500), "bytes": .integer(1000),
        "moments": .list([
            .dictionary(["time": .string("2026-05-28T20:00:00.000Z"), "event": .string("submitted")]),
            .dictionary([
                "time": .string("2026-05-28T20:00:05.000Z"), "event": .string("failed"), "note": .string("gone"),
            ]),
        ]),
    ])

    @Test("Exports a trace that the lab can read, with overlaps and open ends repaired")
    func trace() throws {
        let history = try RecordedHistory(
            HistoryPage([
                "conditions": .list([
                    span("2026-05-28T20:00:00Z", "2026-05-28T20:10:00Z"),
                    span(
                        "2026-05-28T20:05:00Z", "2026-05-28T20:20:00Z", power: "battery", link: "cellular",
                        metered: "yes"),
                    span("2026-05-28T20:06:00Z", "2026-05-28T20:07:00Z"),
                    span("2026-05-28T20:20:00Z", nil, network: "none", link: "unknown", metered: "unknown"),
                ])
            ]), now: Self.now)
        let trace = try #require(history.trace)
        let read = try Trace(csv: Array(trace.csv.utf8), device: trace.device, file: "t.csv")
        #expect(read == trace)
        #expect(read.segments.map(\.network) == [.wifi, .cell, .none])
        #expect(read.segments.map(\.metered) == [false, true, nil])
        #expect(read.segments.map(\.power) == [.ac, .battery, .ac])
        #expect(read.segments[1].start == read.segments[0].end)
        #expect(read.end == Self.now)
        #expect(try RecordedHistory(HistoryPage([:]), now: Self.now).trace == nil)
    }

    @Test("Exports a workload that the lab can read, without transfers of unknown size")
    func workload() throws {
        var unknown = transfer.dictionary ?? [:]
        unknown["bytes"] = nil
        let history = try RecordedHistory(
            HistoryPage(["transfers": .list([transfer, .dictionary(unknown)])]), now: Self.now)
        let workload = try #require(history.workload)
        let read = try Workload(csv: Array(workload.csv.utf8), file: "w.csv")
        #expect(read.devices.map(\.jobs) == workload.devices.map(\.jobs))
        #expect(read.devices[0].jobs.map(\.bytes) == [1000])
        let sizeless = try HistoryPage(["transfers": .list([.dictionary(unknown)])])
        #expect(RecordedHistory(sizeless, now: Self.now).workload == nil)
    }

    @Test("Lists all events in chronological order")
    func lines() throws {
        let page = try HistoryPage([
            "transfers": .list([transfer]), "conditions": .list([span("2026-05-28T20:00:03Z", nil)]),
        ])
        let history = RecordedHistory(page, now: Self.now)
        let lines = history.lines
        #expect(lines.count == 3)
        #expect(lines[0].hasSuffix("7 a.bin  submitted"))
        #expect(lines[1].hasSuffix("-- power ac, battery 80 %; network full, wifi, metered: no"))
        #expect(lines[2].hasSuffix("7 a.bin  failed: gone"))
    }
}
