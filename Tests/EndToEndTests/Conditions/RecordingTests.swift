// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "transferctl conditions --record with real services",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"),
    .enabled(if: NetworkFixture.unavailabilityReason == nil, "\(NetworkFixture.unavailabilityReason ?? "")"))
struct RecordingTests {
    /// A machine with real services and the program under test.
    private struct Machine {
        var power: PowerFixture
        var network: NetworkFixture
        var program: Transferctl

        var sysfs: [String] { ["--sysfs-root", power.sysfsRoot] }
    }

    private func withMachine(_ body: (Machine) async throws -> Void) async throws {
        let bus = try await PrivateBus()
        let power = try await PowerFixture(bus: bus)
        let network = try await NetworkFixture(bus: bus)
        let result: Result<Void, any Error>
        do {
            try await power.spawn()
            try await network.startManager()
            try await network.connect()
            var program = try Transferctl(environment: bus.environment)
            program.prefix = network.inside([])
            result = .success(try await body(Machine(power: power, network: network, program: program)))
        } catch { result = .failure(error) }
        await network.end()
        await power.end()
        await bus.end()
        try result.get()
    }

    private func lines(_ path: String) -> [String] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The last published value of a fact.
    private func published(_ fact: String, in path: String) -> String? {
        for line in lines(path).reversed() {
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let published = object?["published"] as? [String: Any] else { continue }
            let facts = published["facts"] as? [String: [String: Any]]
            return facts?[fact]?["value"] as? String
        }
        return nil
    }

    /// Changes all conditions that can be changed here, and waits until each change is recorded.
    private func change(_ machine: Machine, recordedIn path: String) async throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        // NetworkManager can be slow on a busy machine.
        func wait(_ fact: String, _ value: String) async throws {
            do {
                try await waitUntil("\(fact) is \(value)", within: 120, watching: .files(in: folder)) {
                    published(fact, in: path) == value
                }
            } catch { throw FixtureError("\(error); \(lines(path).suffix(6).joined(separator: "\n"))") }
        }
        try await wait("connection", "wired")
        try await wait("power", "ac")
        try await machine.power.setAC(false)
        try await wait("power", "battery")
        try await machine.power.setLevel(3)
        try await wait("battery", "3 discharging critical")
        try await machine.network.setMetered("yes")
        try await wait("metered", "yes")
        try #require(try await machine.program.run(["network", "wired", "no"]).status == 0)
        try await wait("metered", "no")
        // NetworkManager gives up a connection after six seconds without a carrier. Other tests may delay this test
        // for that long. Afterwards, NetworkManager activates only connections with `autoconnect` by itself.
        try await machine.network.run("nmcli connection modify wired connection.autoconnect yes")
        try await machine.network.run("ip link set far down")
        try await wait("network", "none")
        try await machine.network.run("ip link set far up")
        try await wait("network", "full")
        // UPower does not hear of this change. The change becomes a disagreement if it lasts.
        try await machine.power.setACSilently(true)
        try await machine.power.setAC(true)
        try await wait("power", "ac")
    }

    @Test("A recording of real services replays with identical results")
    func recordAndReplay() async throws {
        try await withMachine { machine in
            let path = machine.program.folder.path + "/machine.jsonl"
            let recording = try machine.program.start(["conditions", "--record", path] + machine.sysfs)
            try await change(machine, recordedIn: path)
            recording.process.signal(SIGINT)
            #expect(try await recording.process.wait(within: 20) == 0, "\(recording.errors)")
            #expect(recording.errors.contains("transferctl: recorded \(lines(path).count) lines in "))
            #expect(recording.output.isEmpty)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            for source in ["power", "path", "networkManager", "modemManager", "login", "leases", "overrides"] {
                #expect(lines(path).contains { $0.contains("\"\(source)\":") }, "\(source)")
            }
            let (status, replay) = try await machine.program.run(["conditions", "--replay", path, "--json", "--watch"])
            #expect(status == 0, "\(replay.errors)")
            let count = lines(path).count { $0.contains("\"published\":") }
            #expect(count >= 8 && replay.output.split(separator: "\n").count == count)
            // The replay finds a changed fact and names its line.
            let text = lines(path).joined(separator: "\n").replacingOccurrences(
                of: "\"value\":\"battery\"", with: "\"value\":\"ac\"")
            try text.write(toFile: path + ".changed", atomically: true, encoding: .utf8)
            let (wrong, report) = try await machine.program.run(["conditions", "--replay", path + ".changed"])
            #expect(wrong == 1)
            let line = (lines(path).firstIndex { $0.contains("\"value\":\"battery\"") } ?? 0) + 1
            #expect(report.errors.contains("machine.jsonl.changed:\(line): power: recorded ac"), "\(report.errors)")
        }
    }

    @Test("An anonymous recording contains no connection, address, or path, and replays identically")
    func anonymous() async throws {
        try await withMachine { machine in
            let path = machine.program.folder.path + "/machine.jsonl"
            try #require(try await machine.program.run(["network", "wired", "yes"]).status == 0)
            let address = try await machine.network.run("cat /sys/class/net/cable/address")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let (status, run) = try await machine.program.run(
                ["conditions", "--record", path, "--anonymous", "--for", "3s"] + machine.sysfs)
            #expect(status == 0, "\(run.errors)")
            #expect(published("metered", in: path) == "yes")
            #expect(published("connection", in: path) == "connection-1")
            let text = lines(path).joined(separator: "\n")
            for secret in ["wired", machine.program.folder.path, address] {
                #expect(!text.contains(secret), "\(secret)")
            }
            let (replayed, replay) = try await machine.program.run(["conditions", "--replay", path])
            #expect(replayed == 0, "\(replay.errors)")
            #expect(replay.output.contains("connection-1"))
        }
    }

    @Test("A killed recording is complete up to its last line; existing files are replaced only with --force")
    func killed() async throws {
        try await withMachine { machine in
            let path = machine.program.folder.path + "/machine.jsonl"
            let recording = try machine.program.start(["conditions", "--record", path] + machine.sysfs)
            try await waitUntil("a snapshot", within: 60, watching: .files(in: machine.program.folder.path)) {
                published("connection", in: path) == "wired"
            }
            recording.process.signal(SIGKILL)
            _ = try? await recording.process.wait(within: 20)
            #expect(try await machine.program.run(["conditions", "--replay", path]).status == 0)
            // The file looks as if the program was killed in the middle of a write.
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            try whole.dropLast(9).write(to: URL(fileURLWithPath: path))
            let (status, cut) = try await machine.program.run(["conditions", "--replay", path])
            #expect(status == 0)
            #expect(cut.errors.contains("the last line was cut off"))
            let (refused, message) = try await machine.program.run(["conditions", "--record", path, "--for", "1s"])
            #expect(refused == 2)
            #expect(message.errors.contains("already exists; use another name, or --force to replace it"))
            #expect(
                try await machine.program.run(["conditions", "--record", path, "--force", "--for", "1s"]).status == 0)
            #expect(try await machine.program.run(["conditions", "--replay", path]).run.errors.isEmpty)
        }
    }

    @Test("A full disk and an unwritable path are reported with different exit statuses")
    func unwritable() async throws {
        let program = try Transferctl(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"])
        let (full, message) = try await program.run(["conditions", "--record", "/dev/full"])
        #expect(full == 1)
        #expect(message.errors.contains("/dev/full ended early: No space left on device; its 0 lines are complete"))
        let (status, nowhere) = try await program.run(["conditions", "--record", "/nonexistent/x"])
        #expect(status == 2)
        #expect(nowhere.errors.contains("cannot write --record '/nonexistent/x': No such file or directory"))
        for wrong in [
            ["--anonymous"], ["--force"], ["--for", "3s"], ["--record", "x", "--for", "soon"],
            ["--record", "x", "--json"], ["--record", "x", "--replay", "y"], ["--replay", "/nonexistent/x"],
        ] {
            #expect(try await program.run(["conditions"] + wrong).status == 2, "\(wrong)")
        }
    }
}
