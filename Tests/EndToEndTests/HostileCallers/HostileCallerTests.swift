// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import RawBus
import Testing

@Suite(
    "Hostile callers of every method and property", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct HostileCallerTests {
    /// The bounds that hold for any behavior of a single caller. They limit the time of another caller's answer, the time
    /// of the daemon's end, and the resident megabytes of the daemon and the bus.
    private static let answer = Duration.seconds(1)
    private static let end = Duration.seconds(5)
    private static let daemonMegabytes = 200
    private static let busMegabytes = 150

    @Test("The table has every method and property that the running daemon describes")
    func complete() async throws {
        try await HostileRig.with { rig in
            for (path, interface) in [
                (HostileRig.managerPath, HostileRig.manager), (rig.victimPath, HostileRig.transfer),
                (rig.victimSession, HostileRig.session),
            ] {
                let answer = try await rig.victim.call(
                    HostileCall(
                        path: path, interface: "org.freedesktop.DBus.Introspectable", member: "Introspect"))
                let described = Self.members(of: interface, in: try #require(answer.value?.text))
                let listed = Set(HostileCase.all.filter { $0.interface == interface }.map(\.member))
                #expect(described.count >= 12)
                #expect(described.subtracting(listed) == [], "\(interface) has members that no case tries")
                #expect(listed.subtracting(described) == [], "cases try what \(interface) has no more")
            }
        }
    }

    /// Finds the methods and properties of an interface in an introspection document.
    private static func members(of interface: String, in xml: String) -> Set<String> {
        guard let start = xml.range(of: "<interface name=\"\(interface)\">"),
            let end = xml.range(of: "</interface>", range: start.upperBound..<xml.endIndex)
        else { return [] }
        let text = String(xml[start.upperBound..<end.lowerBound])
        return Set(text.matches(of: #/<(?:method|property)[^>]* name="(\w+)"/#).map { String($0.1) })
    }

    @Test("A foreign app gets its own data, or an error by name, and changes nothing of others'; C6")
    func foreign() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.foreignCaller()
            try await expect(rig, caller) { $0.foreign }
            await caller.end()
        }
    }

    @Test(
        "A sandboxed app gets no more, and is told what to pass instead of paths, commands and names; C1, C2, C3",
        .enabled(if: CallerRoot.unavailabilityReason == nil, "\(CallerRoot.unavailabilityReason ?? "")"))
    func sandboxed() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.sandboxedCaller()
            #expect(try await caller.ask("sees \(rig.home)") == "false")
            #expect(try await caller.ask("sees /.flatpak-info") == "true")
            try await expect(rig, caller) { $0.sandboxed ?? $0.foreign }
            await caller.end()
        }
    }

    @Test(
        "An app in a root of its own without a name for it is sandboxed, too: it fails closed; C1",
        .enabled(if: CallerRoot.unavailabilityReason == nil, "\(CallerRoot.unavailabilityReason ?? "")"))
    func nameless() async throws {
        try await HostileRig.with { rig in
            let caller = try await rig.sandboxedCaller(nil)
            try await expect(rig, caller) { $0.sandboxed ?? $0.foreign }
            await caller.end()
        }
    }

    @Test(
        "A sandboxed app learns of its own budget alone, another one also of those of connections",
        .enabled(if: CallerRoot.unavailabilityReason == nil, "\(CallerRoot.unavailabilityReason ?? "")"))
    func budgets() async throws {
        let settings = "connection-budgets = { Phone = 2000 }\n"
        try await HostileRig.with(settings: settings) { rig in
            let foreign = try await rig.foreignCaller()
            #expect(Self.names(try await foreign.manager("Budgets")) == ["Phone"])
            for caller in [try await rig.sandboxedCaller(), try await rig.sandboxedCaller(nil)] {
                #expect(Self.names(try await caller.manager("Budgets")) == [])
                await caller.end()
            }
            await foreign.end()
        }
    }

    private static func names(_ answer: HostileAnswer) -> [String]? {
        answer.error == nil ? answer.value?.members.map { $0["name"]?.text ?? "" } : nil
    }

    private func expect(
        _ rig: HostileRig, _ caller: HostileProcess, _ expectation: (HostileCase) -> HostileCase.Expectation
    ) async throws {
        for hostile in HostileCase.all {
            let fault = expectation(hostile).fault(in: try await caller.call(hostile.call(rig)))
            #expect(fault == nil, "\(hostile.name)")
        }
        // A caller whose calls were refused receives no signals about the victim's objects: C6.
        #expect(try await caller.manager("Watch").error == nil)
        let paused = try await rig.victim.manager("Pause", [.array(of: "x", [.int64(rig.victimTransfer)])])
        #expect(paused.error == nil)
        let resumed = try await rig.victim.manager("Resume", [.array(of: "x", [.int64(rig.victimTransfer)])])
        #expect(resumed.error == nil)
        let told = try await caller.ask("signals 600")
        for path in [rig.victimPath, rig.victimSession, ":Changed"] { #expect(!told.contains(path), "\(told)") }
        #expect(try await rig.harm() == [])
        #expect(try rig.terminate() < Self.end)
    }

    // MARK: Load

    @Test("While a caller floods the daemon with any call and reads nothing, others are answered within a second; C5")
    func flooding() async throws {
        try await HostileRig.with { rig in
            for hostile in HostileCase.all {
                // Each flood uses a new connection, because a connection that reads nothing is soon ignored.
                let caller = try await rig.foreignCaller()
                try caller.process.send("flood 400 \(hostile.call(rig).words)")
                let time = try await rig.answerTime()
                #expect(time < Self.answer, "\(hostile.name)")
                _ = try await caller.process.output.next(within: .seconds(60))
                await caller.end()
            }
            try await expectHealth(rig)
            // Sends the largest flood that the bus lets through.
            let caller = try await rig.foreignCaller()
            let list = try #require(HostileCase.all.first { $0.member == "List" })
            try caller.process.send("flood 40000 \(list.call(rig).words)")
            for _ in 0..<20 {
                let time = try await rig.answerTime()
                #expect(time < Self.answer, "a flood of List")
            }
            _ = try await caller.process.output.next(within: .seconds(60))
            try await expectHealth(rig)
            #expect(try await rig.harm() == [])
            #expect(try rig.terminate() < Self.end)
            await caller.end()
        }
    }

    @Test("A caller that is stopped after it subscribed to everything is dropped, and nothing piles up for it; C7")
    func stopped() async throws {
        try await HostileRig.with { rig in
            let twins = try await twins(rig)
            let ids = try await submitLong(count: 100, by: twins.running)
            for hostile in HostileCase.all where hostile.isProperty || hostile.member == "Watch" {
                _ = try await twins.stopped.call(hostile.call(rig))
            }
            for id in ids {
                _ = try await twins.stopped.call(
                    HostileCall(
                        path: "/org/transferd/transfer/\(id)", interface: HostileRig.properties, member: "GetAll",
                        arguments: [.string(HostileRig.transfer)]))
            }
            kill(twins.stopped.id, SIGSTOP)
            let list = WireValue.array(of: "x", ids.map(WireValue.int64))
            for _ in 0..<60 {
                for member in ["Pause", "Resume"] { _ = try await twins.running.manager(member, [list]) }
                #expect(try await rig.answerTime() < Self.answer)
            }
            try await expectHealth(rig)
            #expect(try await rig.harm() == [])
            #expect(try rig.terminate() < Self.end)
            await twins.stopped.end()
            await twins.running.end()
        }
    }

    @Test("A caller that reads late is answered as it reads: its calls wait, and its answers fill nobody's memory; C7")
    func late() async throws {
        try await HostileRig.with { rig in
            let twins = try await twins(rig)
            _ = try await submitLong(count: 12, by: twins.running)
            let list = try #require(HostileCase.all.first { $0.member == "List" })
            let flooded = try await twins.stopped.ask("flood 200 \(list.call(rig).words)")
            #expect(flooded == "flooded 200")
            // The daemon answers the running twin after every answer that it can deliver to either twin.
            #expect(try await twins.running.call(list.call(rig)).error == nil)
            try await expectHealth(rig)
            #expect(try await twins.stopped.ask("read 200 20000") == "read 200 0")
            try await expectHealth(rig)
            #expect(try rig.terminate() < Self.end)
            await twins.stopped.end()
            await twins.running.end()
        }
    }

    /// Starts two processes of the same app. The daemon reports the changes of each process to the other.
    private func twins(_ rig: HostileRig) async throws -> (stopped: HostileProcess, running: HostileProcess) {
        let program = rig.folder.path + "/apps/twin"
        try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program)
        return (
            try await HostileProcess(address: rig.address, program: program),
            try await HostileProcess(address: rig.address, program: program)
        )
    }

    /// Submits transfers with long descriptions. Each change of such a transfer causes a signal of 30 kilobytes.
    private func submitLong(count: Int, by caller: HostileProcess) async throws -> [Int64] {
        var ids: [Int64] = []
        for number in 0..<count {
            let url = "http://127.0.0.1:9/\(number)/" + String(repeating: "a", count: 30_000)
            let fields: [(String, WireValue)] = [
                ("url", .string(url)), ("not-before", .string("2200-01-01T00:00:00Z")),
            ]
            let answer = try await caller.manager("Submit", [.array(of: "a{sv}", [.dictionary(fields)])])
            ids += answer.value?.members.compactMap(\.number) ?? []
        }
        #expect(ids.count == count)
        return ids
    }

    @Test("Callers that vanish in the middle of any call leave nothing behind")
    func vanishing() async throws {
        try await HostileRig.with { rig in
            let before = try descriptors(of: rig.daemon.id)
            for hostile in HostileCase.all {
                for manner in ["leave", "half"] {
                    let caller = try await rig.foreignCaller("org.example.Vanishing")
                    try caller.process.send("\(manner) \(hostile.call(rig).words)")
                    await caller.process.end()
                }
                let time = try await rig.answerTime()
                #expect(time < Self.answer, "\(hostile.name)")
            }
            try await expectHealth(rig)
            let after = try descriptors(of: rig.daemon.id)
            #expect(after <= before + 8)
            #expect(try await rig.harm() == [])
            #expect(try rig.terminate() < Self.end)
        }
    }

    private func descriptors(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    private func expectHealth(_ rig: HostileRig) async throws {
        #expect(rig.daemon.exitStatus == nil)
        #expect(try await rig.answerTime() < Self.answer)
        #expect(HostileRig.megabytes(of: rig.daemon.id) < Self.daemonMegabytes)
        #expect(HostileRig.megabytes(of: try await rig.busProcess()) < Self.busMegabytes)
    }
}
