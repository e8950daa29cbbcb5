// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "What transferctl tells of apps, policies, the past and the machine", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DaemonListingTests {
    private func withRig(_ body: (DaemonRig) async throws -> Void) async throws {
        let rig = try await DaemonRig()
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        await rig.end()
        try result.get()
    }

    @Test("Sessions and apps are listed with what they have; a limiter that holds nothing is not")
    func listing() async throws {
        try await withRig { rig in
            #expect(try rig.run("apps", "--json") == #"{"apps":[]}"#)
            try rig.run("add", "http://127.0.0.1:9/a", "--not-before", "+1d", "--session", "night")
            try rig.run("add", "http://127.0.0.1:9/b", "--not-before", "+1d")
            try rig.run("pause", "2")
            let sessions = try rig.json("sessions")["sessions"] as? [[String: Any]]
            #expect(sessions?.count == 1)
            #expect(sessions?.first?["path"] as? String == "/org/transferd/session/person__night")
            #expect(sessions?.first?["waiting"] as? Int == 1)
            let app = try #require((try rig.json("apps")["apps"] as? [[String: Any]])?.first)
            #expect((app["open"] as? Int, app["waiting"] as? Int, app["paused"] as? Int) == (2, 1, 1))
            #expect(try rig.json("limiter")["limiters"] as? [String] == [])
            #expect(try rig.run("apps").contains("person"))
        }
    }

    @Test("The policy in force is the daemon's, which SIGHUP changes; the keys and a file are told without one")
    func policy() async throws {
        try await withRig { rig in
            let folder = rig.program.folder.path + "/config/transferd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/config.toml"
            try "policy = \"strict\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try rig.json("policy")["from"] as? String == "configuration")
            #expect(try rig.process() == nil)
            try rig.run("list")
            try "policy = \"ladder\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            let shown = try rig.json("policy", "show")
            #expect((shown["from"] as? String, shown["policy"] as? String) == ("daemon", "strict"))
            kill(try #require(try rig.process()), SIGHUP)
            try waitUntil("the new policy", within: 60) { try rig.json("policy")["policy"] as? String == "ladder" }
            #expect(try rig.run("policy", "show", "--defaults").contains("#parallel = 4"))
            #expect(try rig.run("policy", "check").contains("goes by 'ladder'"))
            try "parallel = 4\nyield = 3\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try rig.run("policy", "check", file, status: 2).contains("config.toml:2:1: yield must be"))
            #expect(try rig.run("policy", "check", "/nonexistent", status: 2).contains("cannot be read"))
        }
    }

    @Test("What happened is told in order, as a log of one transfer, and as a trace that the lab reads")
    func history() async throws {
        let server = try NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await withRig { rig in
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--wait")
            try rig.run("add", server.url("missing"), "-d", rig.program.downloads, "--wait", status: 1)
            let log = try rig.json("log", "1")["moments"] as? [[String: Any]]
            #expect(log?.compactMap { $0["event"] as? String } == ["submitted", "started", "finished"])
            #expect(try rig.run("log", "2").contains("failed  - the server answered 404"))
            #expect(try rig.run("log", "9", status: 2).contains("nothing is recorded of a transfer 9"))
            let past = try rig.json("history")
            #expect((past["transfers"] as? [Any])?.count == 2)
            #expect((past["conditions"] as? [Any])?.isEmpty == false)
            #expect(try rig.run("history", "--since", "1h").contains("1 file.bin  finished"))
            let trace = try rig.run("history", "--trace").split(separator: "\n")
            #expect(trace.first?.hasPrefix("t_start,t_end,power,net,level") == true)
            #expect(trace.count >= 2)
            let jobs = try rig.run("history", "--workload").split(separator: "\n")
            #expect(jobs.count == 2 && jobs[1].hasPrefix("this-machine,1,"))
            #expect(try rig.run("history", "--trace", "--json", status: 2).contains("one of them"))
            // 300 transfers fill more than a page on the bus.
            let many = (1...300).map { server.url("file-\($0).bin") }
            let added = try rig.program.run(["add", "-d", rig.program.downloads, "--not-before", "+24h"] + many)
            #expect(added.status == 0, "\(added.run.errors)")
            let all = try #require(try rig.json("history")["transfers"] as? [[String: Any]])
            #expect(all.count == 302 && all.last?["id"] as? Int == 302)
        }
    }

    @Test("A configuration is tried on the recorded past, beside the policy in force")
    func tried() async throws {
        let server = try NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await withRig { rig in
            let file = rig.program.folder.path + "/other.toml"
            try "policy = \"latest-start\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try rig.run("policy", "try", file, status: 2).contains("was recorded in the last 30d"))
            try rig.run("add", server.url("file.bin"), "-d", rig.program.downloads, "--wait")
            let result = try rig.program.run(["policy", "try", file, "--since", "1h"])
            #expect(result.status == 0, "\(result.run.errors)")
            #expect(result.run.errors.contains("decides by 'latest-start'; in force is 'default'"))
            for policy in ["latest-start", "default", "immediate", "unmetered", "oracle"] {
                #expect(result.run.output.contains("\(policy) "), "\(policy)")
            }
            let text = try rig.program.run(["policy", "try", file, "--json"]).run.output
            #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
            try "policy = 7\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try rig.run("policy", "try", file, status: 2).contains("other.toml:1:"))
        }
    }

    @Test("A gate of conditions opens when they hold, and ends with 4 and what is missing when they do not")
    func gate() throws {
        // The test needs no bus and no daemon, and provides its own power supplies.
        let program = try Transferctl()
        let supplies = program.folder.path + "/sys/class/power_supply"
        let supply = supplies + "/AC"
        // A machine without a battery would count as plugged in, whatever the plug says.
        for (name, text) in [
            ("AC/type", "Mains"), ("AC/online", "0"), ("BAT0/type", "Battery"), ("BAT0/present", "1"),
            ("BAT0/status", "Discharging"), ("BAT0/capacity", "50"), ("BAT0/scope", "System"),
        ] {
            let path = supplies + "/" + name
            try FileManager.default.createDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
            try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        let root = ["--sysfs-root", program.folder.path + "/sys"]
        let closed = try program.run(["wait", "--when", "ac", "--timeout", "0"] + root)
        #expect(closed.status == 4)
        #expect(closed.run.errors.contains("still not:"))
        #expect(try program.run(["wait", "--when", "ac", "--timeout", "1s"] + root).status == 4)
        try "1\n".write(toFile: supply + "/online", atomically: true, encoding: .utf8)
        #expect(try program.run(["wait", "--when", "ac", "--timeout", "60s"] + root).status == 0)
        #expect(try program.run(["wait", "--when", "sunny"]).status == 2)
        #expect(try program.run(["wait", "--when", "ac", "1"]).status == 2)
    }

    @Test("A hundred apps at once see nothing of each other, and leave nothing behind")
    func soak() async throws {
        try await withRig { rig in
            let program = URL(fileURLWithPath: Transferctl.path).deletingLastPathComponent().path + "/BusSoak"
            let output = rig.program.folder.path + "/soak"
            let soak = try ChildProcess(program, [rig.bus.address, "10", "100", "7"], output: output)
            let status = try soak.wait(within: 300)
            let text = try String(contentsOfFile: output, encoding: .utf8)
            #expect(status == 0, "\(text)")
            var values: [String: [Int]] = [:]
            for pair in text.split(whereSeparator: \.isWhitespace).map({ $0.split(separator: "=") })
            where pair.count == 2 {
                values[String(pair[0])] = pair[1].split(separator: ",").compactMap { Int($0) }
            }
            #expect((values["calls"]?.first ?? 0) > 500, "\(text)")
            let descriptors = try #require(values["fds"])
            #expect(descriptors[2] <= descriptors[1] + 4, "\(text)")
            let memory = try #require(values["rss_kb"])
            // The growth in the second half of the load. The first half also fills caches. The address sanitizer keeps
            // freed memory, which would count.
            if dlsym(nil, "__asan_init") == nil { #expect(memory[2] <= memory[1] + 20_000, "\(text)") }
        }
    }
}
