// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Prices from the user's file, from the command line to the start of a transfer.
@Suite("Prices, end to end")
struct PriceTests {
    /// Writes a curve, one price after another in periods of some seconds, the first of which has begun.
    private func write(_ prices: [Double], seconds: Int, to path: String) throws {
        let now = Int(Date().timeIntervalSince1970)
        let rows = prices.enumerated().map { "\(now + $0 * seconds),\(now + ($0 + 1) * seconds),\($1)" }
        let text = "start,end,price\n" + rows.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func configure(_ program: Transferctl, _ text: String) throws {
        let folder = program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }

    @Test("get waits for the price of the user's curve, and says until when")
    func get() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        let program = try Transferctl()
        let refused = try await program.run(["get", "--when", "price<0.2", server.url("file.bin")])
        #expect(refused.status == 2)
        #expect(refused.run.errors.contains("--when price<N requires prices: set 'file' or 'command' in [price] of"))
        let curve = program.folder.path + "/prices.csv"
        try configure(program, "[price]\nfile = \"\(curve)\"\n")
        try write([0.31, 0.1], seconds: 6, to: curve)
        let run = try program.start(["get", "--json", "--when", "price<0.2", server.url("file.bin")])
        let waiting = try await run.event("why it waits", within: 60) {
            $0.name == "waiting" && $0.reasons == ["price"]
        }
        let sentence = waiting.event.fields["sentence"] as? String ?? ""
        #expect(sentence.hasPrefix("waits until "), "\(sentence)")
        #expect(sentence.contains(", when the price falls below 0.2; now 0.31 (price curve) — starts "), "\(sentence)")
        #expect(try await run.process.wait(within: 120) == 0)
        let assumed = try await program.run([
            "get", "--when", "price<0.2", "--assume", "price=0.3", "--dry-run", server.url("b"),
        ])
        #expect(assumed.run.output.contains("the price is 0.3; no known price until"), "\(assumed.run.output)")
    }

    @Test(
        "The daemon follows the file: a transfer waits for its price, and starts after a new curve",
        .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
    func daemon() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        let fixture = try await DaemonFixture()
        let curve = fixture.program.folder.path + "/prices.csv"
        try configure(fixture.program, "[price]\nfile = \"\(curve)\"\n")
        try write([0.3, 0.1], seconds: 36_000, to: curve)
        let result: Result<Void, any Error>
        do {
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--when", "price<0.2")
            let why = try await fixture.run("why", "1")
            #expect(why.contains("when the price falls below 0.2; now 0.3"), "\(why)")
            #expect(try await fixture.run("list").contains("when the price falls below 0.2"))
            #expect(try await fixture.run("list", "1").contains("a price below 0.2"))
            try await fixture.run("set", "1", "when=price<0.05")
            try await waitUntil("the new limit", within: 60) {
                try await fixture.run("why", "1").contains("no known price until")
            }
            try write([0.01], seconds: 36_000, to: curve)
            try await waitUntil("the end", within: 60) { try await fixture.state(of: "1") == "finished" }
            result = .success(())
        } catch { result = .failure(error) }
        await fixture.end()
        try result.get()
    }
}
