// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// A stress test that kills an app again and again during its transfers: 25 times, or `TRANSFER_APP_KILLS` times.
@Suite(
    "An app that is killed",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct KilledAppTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["TRANSFER_APP_KILLS"] ?? "") ?? 25
    private static let seed =
        UInt64(ProcessInfo.processInfo.environment["TRANSFER_SEED"] ?? "") ?? .random(in: 1...1_000_000)

    @Test(
        "E4: killed at any point, it gets all events in order, no handled event again, and each file once"
    )
    func killed() async throws {
        var generator = Generator(state: Self.seed)
        let tasks = 20
        print("app kills: \(Self.kills), seed \(Self.seed)")
        // The server is so slow that the transfers last about as long as the kills.
        let size = max(20_000, Self.kills * 3000)
        try await SessionFixture.with(rate: 100_000) { fixture in
            let sources = try (1...tasks).map {
                try fixture.server.serve("file-\($0)", bytes: size + $0, seed: UInt64($0))
            }
            let moveFolder = fixture.daemon.program.folder.path + "/place"
            try FileManager.default.createDirectory(atPath: moveFolder, withIntermediateDirectories: true)
            for kill in 0..<Self.kills {
                let app = try fixture.app("app", "--session", "s", "--move", moveFolder)
                try await app.log.wait(for: "opened", count: kill + 1)
                if kill == 0 {
                    for number in 1...tasks { try app.send("download \(fixture.server.url("file-\(number)"))") }
                    try await app.log.wait(for: "submitted \(tasks)")
                }
                try await Task.sleep(for: .milliseconds(Int(generator.next() % 250)))
                await app.crash()
            }
            let app = try fixture.app("app", "--session", "s", "--move", moveFolder)
            try await app.log.wait(until: "all ends", within: 300) { lines in
                Set(lines.filter { $0.hasPrefix("completed ") }).count == tasks
            }
            try await waitUntil("the last event is acknowledged", within: 60) {
                try await fixture.row()["waiting-events"] as? Int == 0
            }
            await app.crash()
            #expect(ReceivedEvents(app.log.lines).faults == [])
            #expect(app.log.lines.filter { $0.hasPrefix("moved ") && !$0.hasPrefix("moved before") }.count == tasks)
            #expect(!app.log.lines.contains { $0.hasPrefix("lost") })
            for number in 1...tasks {
                #expect(
                    FileManager.default.contentsEqual(atPath: moveFolder + "/\(number)", andPath: sources[number - 1]),
                    "file \(number)")
            }
        }
    }

    private struct Generator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}

/// A checker of the events that successive processes of an app received.
private struct ReceivedEvents {
    /// All events, in the order in which they were first received.
    private var order: [String] = []
    /// The number of events that were handled.
    private var handledCount = 0
    /// The position of the next event for the current process.
    private var position = 0
    /// A Boolean value that indicates whether the current process has not received any event yet.
    private var isFirst = true
    private(set) var faults: [String] = []

    init(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ").prefix(2).joined(separator: " ")
            switch words.prefix(while: { $0 != " " }) {
            case "began": (position, isFirst) = (handledCount, true)
            case "responded", "downloaded", "completed": receive(words)
            case "acknowledged" where position > handledCount: handledCount = position
            default: break
            }
        }
    }

    private mutating func receive(_ event: String) {
        defer { isFirst = false }
        // The previous process may have died before it logged an acknowledgment that the daemon had already recorded.
        if isFirst, position < order.count, order[position] != event {
            position += 1
            handledCount += 1
        }
        if position < order.count {
            if order[position] != event { faults.append("\(event) was delivered, expected \(order[position])") }
        } else if order.contains(event) {
            faults.append("\(event) was delivered again")
        } else {
            order.append(event)
        }
        position += 1
    }
}
