// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus
import Testing

@Suite(
    "Attacks on the daemon's limits",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct LimitAttackTests {
    private static func open(_ identifier: String, by caller: HostileProcess) async throws -> String {
        let reply = try await caller.manager(
            "OpenSession", [.dictionary([("identifier", .string(identifier))]), .dictionary([])])
        guard let path = reply.value?["path"]?.text else { throw FixtureError("\(identifier): \(reply)") }
        return path
    }

    @Test("A task number far beyond the next is rejected immediately and takes no memory; C5")
    func taskNumber() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.foreignCaller()
            let path = try await Self.open("s", by: caller)
            let before = HostileFixture.megabytes(of: fixture.daemon.id)
            for number in [Int64.max, 9_000_000_000_000_000_000, 1 << 32, 20_000] {
                let call = HostileCall(
                    path: path, interface: HostileFixture.session, member: "Post",
                    arguments: [HostileFixture.submit(task: number)])
                let (reply, time) = try await fixture.timed(call, by: caller)
                #expect(reply.error == "InvalidArgument", "\(number): \(reply)")
                #expect(reply.text.contains("10000"), "\(reply)")
                #expect(time < .seconds(1 + Tolerance.seconds))
                #expect(try await fixture.responseTime() < .seconds(1 + Tolerance.seconds))
            }
            #expect(HostileFixture.megabytes(of: fixture.daemon.id) < before + 20)
            #expect(try await caller.session(path, "Post", [HostileFixture.submit(task: 1)]).error == nil)
            #expect(try await fixture.terminate() < .seconds(5 + Tolerance.seconds))
            await caller.end()
        }
    }

    @Test("Suspended tasks of all sessions count toward the limit of open transfers; C5")
    func suspended() async throws {
        try await HostileFixture.with(settings: "open-per-app = 50\n") { fixture in
            let caller = try await fixture.foreignCaller()
            let paths = [try await Self.open("a", by: caller), try await Self.open("b", by: caller)]
            var (accepted, refusals) = (0, [HostileReply]())
            for number in 0..<300 {
                let reply = try await caller.session(
                    paths[number % 2], "Post", [HostileFixture.submit(task: Int64(number / 2 + 1))])
                if reply.error == nil { accepted += 1 } else { refusals.append(reply) }
            }
            #expect(accepted == 50)
            #expect(refusals.count == 250)
            for reply in refusals.prefix(1) {
                #expect(reply.error == "TooManyTransfers" || reply.error == "LimitExceeded", "\(reply)")
                #expect(reply.text.contains("50"), "\(reply)")
            }
            let submitted = try await caller.manager(
                "Submit", [.array(of: "a{sv}", [HostileFixture.transfer(named: "x")])])
            #expect(submitted.error == "TooManyTransfers", "\(submitted)")
            // Canceling a task makes room for the next one.
            let cancel = WireValue.dictionary([("order", .string("cancel")), ("task", .int64(1))])
            #expect(try await caller.session(paths[0], "Post", [cancel]).error == nil)
            #expect(try await fixture.damage() == [])
            await caller.end()
        }
    }

    @Test("Too many notes or sessions are rejected with the limit in the text; C5")
    func bookkeeping() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.foreignCaller()
            let path = try await Self.open("s", by: caller)
            let detail = WireValue.string(String(repeating: "n", count: 16 << 10))
            var refusal: HostileReply?
            for number in 1...2000 where refusal == nil {
                let reply = try await caller.session(
                    path, "Post", [HostileFixture.submit(task: Int64(number), "t", [("note", detail)])])
                if reply.error != nil { refusal = reply }
            }
            #expect(
                refusal?.error == "LimitExceeded", "\(refusal.map(\.description) ?? "2000 long notes were accepted")")
            refusal = nil
            for number in 1...200 where refusal == nil {
                let reply = try await caller.manager(
                    "OpenSession", [.dictionary([("identifier", .string("s\(number)"))]), .dictionary([])])
                if reply.error != nil { refusal = reply }
            }
            #expect(refusal?.error == "LimitExceeded", "\(refusal.map(\.description) ?? "200 sessions were accepted")")
            #expect(refusal?.text.contains("100") == true)
            #expect(HostileFixture.megabytes(of: fixture.daemon.id) < 150)
            #expect(try await fixture.damage() == [])
            await caller.end()
        }
    }

    @Test("An app keeps its session after its executable is replaced; C4")
    func replacedExecutable() async throws {
        try await HostileFixture.with { fixture in
            let program = fixture.folder.path + "/apps/upgraded"
            try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program)
            let before = try await HostileProcess(address: fixture.address, program: program)
            let path = try await Self.open("s", by: before)
            #expect(try await before.session(path, "Post", [HostileFixture.submit(task: 1)]).error == nil)
            await before.end()
            // The process runs from the old file and calls after the file was replaced. It is still the same app.
            let running = try await HostileProcess(address: fixture.address, program: program)
            try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program + ".new")
            #expect(rename(program + ".new", program) == 0)
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(running.id)/exe")
            #expect(link.hasSuffix(" (deleted)"))
            #expect(try await Self.open("s", by: running) == path)
            #expect(try await running.session(path, "Tasks").value?.members.count == 1)
            await running.end()
            let after = try await HostileProcess(address: fixture.address, program: program)
            #expect(try await Self.open("s", by: after) == path)
            await after.end()
        }
    }
}
