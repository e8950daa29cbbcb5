// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("Decorated condition sources", .timeLimit(.minutes(5)))
struct DecoratedConditionsTests {
    private static let start = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 1_800_000_000))

    private static func conditions(_ power: PowerSource = .ac) -> Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(power, source: .upower, since: start)
        return conditions
    }

    /// A circumstance that a test determines.
    private final class Switch: Sendable {
        let stream = AsyncStream.makeStream(of: Bool.self)
        var circumstance: Circumstance { Circumstance { [stream] in stream.stream } }

        init(_ value: Bool? = nil) { if let value { set(value) } }
        func set(_ value: Bool) { stream.continuation.yield(value) }
    }

    @Test("Assumptions replace the machine's facts while their circumstance holds")
    func assuming() async {
        let (machine, test) = (ManualConditionSource(Self.conditions()), Switch(false))
        let source = machine.assuming(.power(.battery), from: "test", while: test.circumstance)
        var snapshots = source.snapshots().makeAsyncIterator()
        #expect(await snapshots.next() == Self.conditions())
        test.set(true)
        let assumed = await snapshots.next()
        #expect(assumed?.power.value == .battery)
        #expect(assumed?.power.source == .assumption)
        #expect(assumed?.notes == ["Facts are assumed by test."])
        // A repeated value is not reported, so the next snapshot is the machine's.
        test.set(true)
        test.set(false)
        #expect(await snapshots.next() == Self.conditions())
        machine.send(Self.conditions(.battery))
        #expect(await snapshots.next()?.power.source == .upower)
        await source.stop()
        #expect(await snapshots.next() == nil)
        #expect(machine.isStopped)
    }

    @Test("A hold names its holder, and the machine's own hold takes precedence")
    func holding() async {
        let (machine, call) = (ManualConditionSource(Self.conditions()), Switch(true))
        let source = machine.holding("a video call", by: "call-watch", while: call.circumstance)
        var snapshots = source.snapshots().makeAsyncIterator()
        #expect(await snapshots.next()?.hold.value == MachineHold(by: "call-watch", why: "a video call"))
        var held = Self.conditions()
        held.hold = Fact(MachineHold(by: MachineHold.user, why: ""), source: .user, since: Self.start)
        machine.send(held)
        #expect(await snapshots.next()?.hold.value?.holder == MachineHold.user)
        call.set(false)
        machine.send(Self.conditions())
        #expect(await snapshots.next()?.hold.value == nil)
    }

    @Test("A condition of the embedder is added to every snapshot, and transfers wait for it")
    func adding() async throws {
        let values = AsyncStream.makeStream(of: String?.self)
        let machine = ManualConditionSource(Self.conditions())
        let source = machine.adding("quiet", from: "the office") { values.stream }
        values.continuation.yield("no")
        var snapshots = source.snapshots().makeAsyncIterator()
        let first = try #require(await snapshots.next())
        #expect(first.custom.map(\.name) == ["quiet"] && first.custom[0].origin == "the office")
        let quiet = try #require(CustomConstraint("quiet=yes"))
        #expect(quiet.verdict(under: first).facts == nil)
        values.continuation.yield("yes")
        let second = try #require(await snapshots.next())
        #expect(quiet.verdict(under: second).facts != nil)
        values.continuation.yield(nil)
        let third = try #require(await snapshots.next())
        #expect(quiet.verdict(under: third).facts == nil)
    }

    @Test("A decorated source keeps the contract of its port", arguments: ConditionSourceContract.Check.allCases)
    func contract(_ check: ConditionSourceContract.Check) async throws {
        let contract = ConditionSourceContract {
            let level = Mutex(50)
            let machine = ManualConditionSource(Self.conditions())
            let source = machine.holding("a call", by: "test", while: Switch(true).circumstance)
            return .init(
                source, now: { Self.start },
                change: {
                    var conditions = Self.conditions()
                    conditions.battery.value = BatteryState(
                        level: level.withLock { level in
                            level += 1
                            return level
                        })
                    conditions.battery.source = .upower
                    machine.send(conditions)
                    conditions.hold = Fact(MachineHold(by: "test", why: "a call"), source: .rule, since: Self.start)
                    return conditions
                })
        }
        #expect(try await contract.run(check) == .kept)
    }
}
