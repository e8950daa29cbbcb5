// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import RawBus
import Testing

@Suite(
    "Attacks on what the daemon keeps", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct LimitAttackTests {
    private static func open(_ identifier: String, by caller: HostileProcess) async throws -> String {
        let answer = try await caller.manager(
            "OpenSession", [.dictionary([("identifier", .string(identifier))]), .dictionary([])])
        guard let path = answer.value?["path"]?.text else { throw TestTrouble("\(identifier): \(answer)") }
        return path
    }

    @Test("One task number far beyond the next is refused at once, and takes no memory; C5")
    func taskNumber() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.foreignCaller()
            let path = try await Self.open("s", by: caller)
            let before = HostileRig.megabytes(of: rig.daemon.id)
            for number in [Int64.max, 9_000_000_000_000_000_000, 1 << 32, 20_000] {
                let begun = ContinuousClock.now
                let answer = try await caller.session(path, "Post", [HostileRig.submit(task: number)])
                #expect(answer.error == "InvalidArgument", "\(number): \(answer)")
                #expect(answer.text.contains("10000"), "\(answer)")
                #expect(ContinuousClock.now - begun < .seconds(1))
                #expect(try await rig.answerTime() < .seconds(1))
            }
            #expect(HostileRig.megabytes(of: rig.daemon.id) < before + 20)
            #expect(try await caller.session(path, "Post", [HostileRig.submit(task: 1)]).error == nil)
            #expect(try rig.terminate() < .seconds(5))
            await caller.end()
        }
    }

    @Test("Suspended tasks count against the limit of open transfers, whichever session they are in; C5")
    func suspended() async throws {
        try await HostileRig.with(settings: "open-per-app = 50\n") { rig in
            let caller = try await rig.foreignCaller()
            let paths = [try await Self.open("a", by: caller), try await Self.open("b", by: caller)]
            var (accepted, refusals) = (0, [HostileAnswer]())
            for number in 0..<300 {
                let answer = try await caller.session(
                    paths[number % 2], "Post", [HostileRig.submit(task: Int64(number / 2 + 1))])
                if answer.error == nil { accepted += 1 } else { refusals.append(answer) }
            }
            #expect(accepted == 50)
            #expect(refusals.count == 250)
            for answer in refusals.prefix(1) {
                #expect(answer.error == "TooManyTransfers" || answer.error == "LimitExceeded", "\(answer)")
                #expect(answer.text.contains("50"), "\(answer)")
            }
            let submitted = try await caller.manager(
                "Submit", [.array(of: "a{sv}", [HostileRig.transfer(named: "x")])])
            #expect(submitted.error == "TooManyTransfers", "\(submitted)")
            // Canceling a task makes room for the next one.
            let cancel = WireValue.dictionary([("order", .string("cancel")), ("task", .int64(1))])
            #expect(try await caller.session(paths[0], "Post", [cancel]).error == nil)
            #expect(try await rig.harm() == [])
            await caller.end()
        }
    }

    @Test("Notes, sessions and watchers without end are refused with the limit in the text; C5")
    func bookkeeping() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.foreignCaller()
            let path = try await Self.open("s", by: caller)
            let note = WireValue.string(String(repeating: "n", count: 16 << 10))
            var refusal: HostileAnswer?
            for number in 1...2000 where refusal == nil {
                let answer = try await caller.session(
                    path, "Post", [HostileRig.submit(task: Int64(number), "t", [("note", note)])])
                if answer.error != nil { refusal = answer }
            }
            #expect(refusal?.error == "LimitExceeded", "\(refusal.map(\.description) ?? "2000 long notes are taken")")
            refusal = nil
            for number in 1...200 where refusal == nil {
                let answer = try await caller.manager(
                    "OpenSession", [.dictionary([("identifier", .string("s\(number)"))]), .dictionary([])])
                if answer.error != nil { refusal = answer }
            }
            #expect(refusal?.error == "LimitExceeded", "\(refusal.map(\.description) ?? "200 sessions are taken")")
            #expect(refusal?.text.contains("100") == true)
            #expect(HostileRig.megabytes(of: rig.daemon.id) < 150)
            #expect(try await rig.harm() == [])
            await caller.end()
        }
    }

    @Test("An app whose executable was replaced while it runs keeps its session; C4")
    func replacedExecutable() async throws {
        try await HostileRig.with { rig in
            let program = rig.folder.path + "/apps/upgraded"
            try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program)
            let before = try await HostileProcess(address: rig.address, program: program)
            let path = try await Self.open("s", by: before)
            #expect(try await before.session(path, "Post", [HostileRig.submit(task: 1)]).error == nil)
            await before.end()
            // The process runs from the old file and calls after the file was replaced. It is still the same app.
            let running = try await HostileProcess(address: rig.address, program: program)
            try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program + ".new")
            #expect(rename(program + ".new", program) == 0)
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(running.id)/exe")
            #expect(link.hasSuffix(" (deleted)"))
            #expect(try await Self.open("s", by: running) == path)
            #expect(try await running.session(path, "Tasks").value?.members.count == 1)
            await running.end()
            let after = try await HostileProcess(address: rig.address, program: program)
            #expect(try await Self.open("s", by: after) == path)
            await after.end()
        }
    }
}
