// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus
import Testing

@Suite(
    "Hostile callers of every method and property",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct HostileCallerTests {
    /// The limits for any behavior of a single caller: the time of another caller's reply, the time until the daemon's
    /// end, and the resident memory of the daemon and the bus in megabytes.
    private static let longestResponse = Duration.seconds(1 + Tolerance.seconds)
    private static let end = Duration.seconds(5 + Tolerance.seconds)
    private static let daemonMegabytes = 200
    private static let busMegabytes = 150

    @Test("The table covers every method and property in the daemon's introspection data")
    func complete() async throws {
        try await HostileFixture.with { fixture in
            for (path, interface) in [
                (HostileFixture.managerPath, HostileFixture.manager),
                (fixture.victimSession, HostileFixture.session),
                (HostileFixture.conditionsPath, HostileFixture.conditions),
            ] {
                let reply = try await fixture.victim.call(
                    HostileCall(
                        path: path, interface: "org.freedesktop.DBus.Introspectable", member: "Introspect"))
                let described = Self.members(of: interface, in: try #require(reply.value?.text))
                let listed = Set(HostileCase.all.filter { $0.interface == interface }.map(\.member))
                #expect(described.count >= (interface == HostileFixture.conditions ? 5 : 12))
                #expect(described.subtracting(listed) == [], "\(interface) has members without a case")
                #expect(listed.subtracting(described) == [], "cases use members that \(interface) does not have")
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

    @Test("A foreign app gets its own data or a named error, and changes nothing of other apps; C6")
    func foreign() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.foreignCaller()
            try await expect(fixture, caller) { $0.foreign }
            await caller.end()
        }
    }

    @Test(
        "A sandboxed app gets no more; errors name alternatives to paths, commands, and names; C1, C2, C3",
        .enabled(if: SandboxRoot.unavailabilityReason == nil, "\(SandboxRoot.unavailabilityReason ?? "")"))
    func sandboxed() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller()
            #expect(try await caller.perform("sees \(fixture.home)") == "false")
            #expect(try await caller.perform("sees /.flatpak-info") == "true")
            try await expect(fixture, caller) { $0.sandboxed ?? $0.foreign }
            await caller.end()
        }
    }

    @Test(
        "An app in an unnamed mount root counts as sandboxed (fail closed); C1",
        .enabled(if: SandboxRoot.unavailabilityReason == nil, "\(SandboxRoot.unavailabilityReason ?? "")"))
    func nameless() async throws {
        try await HostileFixture.with { fixture in
            let caller = try await fixture.sandboxedCaller(nil)
            try await expect(fixture, caller) { $0.sandboxed ?? $0.foreign }
            await caller.end()
        }
    }

    @Test(
        "A sandboxed app sees only its own budget; other apps also see the budgets of connections",
        .enabled(if: SandboxRoot.unavailabilityReason == nil, "\(SandboxRoot.unavailabilityReason ?? "")"))
    func budgets() async throws {
        let settings = "connection-budgets = { Phone = 2000 }\n"
        try await HostileFixture.with(settings: settings) { fixture in
            let foreign = try await fixture.foreignCaller()
            #expect(Self.names(try await foreign.manager("Budgets")) == ["Phone"])
            for caller in [try await fixture.sandboxedCaller(), try await fixture.sandboxedCaller(nil)] {
                #expect(Self.names(try await caller.manager("Budgets")) == [])
                await caller.end()
            }
            await foreign.end()
        }
    }

    private static func names(_ reply: HostileReply) -> [String]? {
        reply.error == nil ? reply.value?.members.map { $0["name"]?.text ?? "" } : nil
    }

    private func expect(
        _ fixture: HostileFixture, _ caller: HostileProcess, _ expectation: (HostileCase) -> HostileCase.Expectation
    ) async throws {
        for hostile in HostileCase.all {
            let fault = expectation(hostile).fault(in: try await caller.call(hostile.call(fixture)))
            #expect(fault == nil, "\(hostile.name)")
        }
        // A caller whose calls were refused receives no signals about the victim's objects: C6.
        #expect(try await caller.manager("Watch").error == nil)
        let paused = try await fixture.victim.manager("Pause", [.array(of: "x", [.int64(fixture.victimTransfer)])])
        #expect(paused.error == nil)
        let resumed = try await fixture.victim.manager("Resume", [.array(of: "x", [.int64(fixture.victimTransfer)])])
        #expect(resumed.error == nil)
        let signals = try await caller.perform("signals 600")
        for path in [fixture.victimSession, ":Changed"] {
            #expect(!signals.contains(path), "\(signals)")
        }
        #expect(try await fixture.damage() == [])
        #expect(try await fixture.terminate() < Self.end)
    }

    // MARK: Load

    @Test("While a caller floods the daemon and reads nothing, others get replies within a second; C5")
    func flooding() async throws {
        try await HostileFixture.with { fixture in
            for hostile in HostileCase.all {
                // Each flood uses a new connection, because a connection that reads nothing is soon ignored.
                let caller = try await fixture.foreignCaller()
                try caller.process.send("flood 400 \(hostile.call(fixture).words)")
                let time = try await fixture.responseTime()
                #expect(time < Self.longestResponse, "\(hostile.name)")
                _ = try await caller.process.output.next(within: .seconds(60))
                await caller.end()
            }
            try await expectHealth(fixture)
            // Sends the largest flood that the bus lets through.
            let caller = try await fixture.foreignCaller()
            let list = try #require(HostileCase.all.first { $0.member == "List" })
            try caller.process.send("flood 40000 \(list.call(fixture).words)")
            for _ in 0..<20 {
                let time = try await fixture.responseTime()
                #expect(time < Self.longestResponse, "a flood of List")
            }
            _ = try await caller.process.output.next(within: .seconds(60))
            try await expectHealth(fixture)
            #expect(try await fixture.damage() == [])
            #expect(try await fixture.terminate() < Self.end)
            await caller.end()
        }
    }

    @Test("A stopped caller with all subscriptions is dropped, and nothing accumulates for it; C7")
    func stopped() async throws {
        try await HostileFixture.with { fixture in
            let twins = try await twins(fixture)
            let ids = try await submitLong(count: 100, by: twins.running)
            for hostile in HostileCase.all where hostile.isProperty || hostile.member == "Watch" {
                _ = try await twins.stopped.call(hostile.call(fixture))
            }
            kill(twins.stopped.id, SIGSTOP)
            let list = WireValue.array(of: "x", ids.map(WireValue.int64))
            for _ in 0..<60 {
                for member in ["Pause", "Resume"] { _ = try await twins.running.manager(member, [list]) }
                #expect(try await fixture.responseTime() < Self.longestResponse)
            }
            try await expectHealth(fixture)
            #expect(try await fixture.damage() == [])
            #expect(try await fixture.terminate() < Self.end)
            await twins.stopped.end()
            await twins.running.end()
        }
    }

    @Test("A slow reader gets replies as it reads; its calls wait, and its replies do not accumulate; C7")
    func late() async throws {
        try await HostileFixture.with { fixture in
            let twins = try await twins(fixture)
            _ = try await submitLong(count: 12, by: twins.running)
            let list = try #require(HostileCase.all.first { $0.member == "List" })
            let flooded = try await twins.stopped.perform("flood 200 \(list.call(fixture).words)")
            #expect(flooded == "flooded 200")
            // The daemon replies to the running twin after every reply that it can deliver to either twin.
            #expect(try await twins.running.call(list.call(fixture)).error == nil)
            try await expectHealth(fixture)
            #expect(try await twins.stopped.perform("read 200 20000") == "read 200 0")
            try await expectHealth(fixture)
            #expect(try await fixture.terminate() < Self.end)
            await twins.stopped.end()
            await twins.running.end()
        }
    }

    /// Starts two processes of the same app. The daemon reports the changes of each process to the other.
    private func twins(_ fixture: HostileFixture) async throws -> (stopped: HostileProcess, running: HostileProcess) {
        let program = fixture.folder.path + "/apps/twin"
        try FileManager.default.copyItem(atPath: HostileProcess.program, toPath: program)
        return (
            try await HostileProcess(address: fixture.address, program: program),
            try await HostileProcess(address: fixture.address, program: program)
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
            let reply = try await caller.manager("Submit", [.array(of: "a{sv}", [.dictionary(fields)])])
            ids += reply.value?.members.compactMap(\.number) ?? []
        }
        #expect(ids.count == count)
        return ids
    }

    @Test("Callers that disconnect in the middle of a call leave nothing behind")
    func vanishing() async throws {
        try await HostileFixture.with { fixture in
            let before = try descriptors(of: fixture.daemon.id)
            for hostile in HostileCase.all {
                for manner in ["leave", "half"] {
                    let caller = try await fixture.foreignCaller("org.example.Vanishing")
                    try caller.process.send("\(manner) \(hostile.call(fixture).words)")
                    await caller.process.end()
                }
                let time = try await fixture.responseTime()
                #expect(time < Self.longestResponse, "\(hostile.name)")
            }
            try await expectHealth(fixture)
            let after = try descriptors(of: fixture.daemon.id)
            #expect(after <= before + 8)
            #expect(try await fixture.damage() == [])
            #expect(try await fixture.terminate() < Self.end)
        }
    }

    private func descriptors(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    private func expectHealth(_ fixture: HostileFixture) async throws {
        #expect(fixture.daemon.exitStatus == nil)
        #expect(try await fixture.responseTime() < Self.longestResponse)
        #expect(HostileFixture.megabytes(of: fixture.daemon.id) < Self.daemonMegabytes)
        #expect(HostileFixture.megabytes(of: try await fixture.busProcess()) < Self.busMegabytes)
    }
}
