// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "transferctl reports on apps, policies, history, and the machine",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DaemonListingTests {
    @Test("Sessions and apps are listed with their counts; an idle limiter is not listed")
    func listing() async throws {
        try await DaemonFixture.with { fixture in
            #expect(try await fixture.run("apps", "--json") == #"{"apps":[],"limiters":[],"sessions":[]}"#)
            try await fixture.run("add", "http://127.0.0.1:9/a", "--not-before", "+1d", "--session", "night")
            try await fixture.run("add", "http://127.0.0.1:9/b", "--not-before", "+1d")
            try await fixture.run("pause", "2")
            let sessions = try await fixture.json("apps")["sessions"] as? [[String: Any]]
            #expect(sessions?.count == 1)
            #expect(sessions?.first?["path"] as? String == "/org/transferd/session/person__night")
            #expect(sessions?.first?["waiting"] as? Int == 1)
            let app = try #require((try await fixture.json("apps")["apps"] as? [[String: Any]])?.first)
            #expect((app["open"] as? Int, app["waiting"] as? Int, app["paused"] as? Int) == (2, 1, 1))
            #expect(try await fixture.json("apps")["limiters"] as? [String] == [])
            let text = try await fixture.run("apps")
            #expect(text.contains("person") && text.contains("\n\nSESSION") && !text.contains("DELAYED"), "\(text)")
        }
    }

    @Test("The daemon's policy is shown and follows SIGHUP; keys and files are checked without a daemon")
    func policy() async throws {
        try await DaemonFixture.with { fixture in
            let folder = fixture.program.folder.path + "/config/transferd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/config.toml"
            try "policy = \"strict\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await fixture.json("config")["from"] as? String == "configuration")
            #expect(try await fixture.process() == nil)
            try await fixture.run("list")
            try "policy = \"ladder\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            let shown = try await fixture.json("config", "show")
            #expect((shown["from"] as? String, shown["policy"] as? String) == ("daemon", "strict"))
            kill(try #require(try await fixture.process()), SIGHUP)
            try await waitUntil("the new policy", within: 60) {
                try await fixture.json("config")["policy"] as? String == "ladder"
            }
            #expect(try await fixture.run("config", "show", "--defaults").contains("#parallel = 4"))
            #expect(try await fixture.run("config", "check").contains("the policy is 'ladder'"))
            try "parallel = 4\nyield = 3\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(
                try await fixture.run("config", "check", file, status: 2).contains(
                    "config.toml:2:9: yield = 3: must be"))
            #expect(try await fixture.run("config", "check", "/nonexistent", status: 2).contains("cannot read"))
        }
    }

    @Test("The history is shown in order, as the log of a transfer, and as a trace for transferlab")
    func history() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await DaemonFixture.with { fixture in
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--wait")
            try await fixture.run("add", server.url("missing"), "-d", fixture.program.downloads, "--wait", status: 1)
            let log = try await fixture.json("history", "1")["moments"] as? [[String: Any]]
            #expect(log?.compactMap { $0["event"] as? String } == ["submitted", "started", "finished"])
            #expect(try await fixture.run("history", "2").contains("failed  - the server answered 404"))
            #expect(try await fixture.run("history", "9", status: 2).contains("the history has no transfer 9"))
            let past = try await fixture.json("history")
            #expect((past["transfers"] as? [Any])?.count == 2)
            #expect((past["conditions"] as? [Any])?.isEmpty == false)
            #expect(try await fixture.run("history", "--since", "1h").contains("1 file.bin  finished"))
            let trace = try await fixture.run("history", "--trace").split(separator: "\n")
            #expect(trace.first?.hasPrefix("t_start,t_end,power,net,level") == true)
            #expect(trace.count >= 2)
            let jobs = try await fixture.run("history", "--workload").split(separator: "\n")
            #expect(jobs.count == 2 && jobs[1].hasPrefix("this-machine,1,"))
            #expect(try await fixture.run("history", "--trace", "--json", status: 2).contains("one of them"))
            #expect(try await fixture.run("history", "--donate", "x", status: 2).contains("--donate requires --trace"))
            let donation = fixture.program.folder.path + "/donation"
            #expect(try await fixture.run("history", "--trace", "--donate", donation).contains("transferlab check"))
            #expect(
                try await fixture.run("history", "--trace", "--donate", donation, status: 2).contains("is not empty"))
            let names = try FileManager.default.contentsOfDirectory(atPath: donation).sorted()
            #expect(names.count == 3 && names.contains("workload.csv") && names.contains("README.md"), "\(names)")
            for name in names {
                let text = try String(contentsOfFile: donation + "/" + name, encoding: .utf8)
                #expect(!text.contains("file.bin") && !text.contains("127.0.0.1") && !text.contains("this-machine"))
            }
            // 300 transfers fill more than a page on the bus.
            let many = (1...300).map { server.url("file-\($0).bin") }
            let added = try await fixture.program.run(
                ["add", "-d", fixture.program.downloads, "--not-before", "+24h"] + many)
            #expect(added.status == 0, "\(added.run.errors)")
            let all = try #require(try await fixture.json("history")["transfers"] as? [[String: Any]])
            #expect(all.count == 302 && all.last?["id"] as? Int == 302)
        }
    }

    @Test("A configuration is compared with the current policy on the recorded history")
    func tried() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await DaemonFixture.with { fixture in
            let file = fixture.program.folder.path + "/other.toml"
            try "policy = \"ladder\"\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await fixture.run("config", "try", file, status: 2).contains("was recorded in the last 30d"))
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--wait")
            let result = try await fixture.program.run(["config", "try", file, "--since", "1h"])
            #expect(result.status == 0, "\(result.run.errors)")
            #expect(result.run.errors.contains("policy in '\(file)': 'ladder'; current policy: 'default'"))
            for policy in ["ladder", "default", "immediate", "unmetered", "oracle"] {
                #expect(result.run.output.contains("\(policy) "), "\(policy)")
            }
            let text = try await fixture.program.run(["config", "try", file, "--json"]).run.output
            #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
            try "policy = 7\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await fixture.run("config", "try", file, status: 2).contains("other.toml:1:"))
        }
    }

    @Test("wait --when returns when the conditions are met, and exits with 4 and the unmet ones on timeout")
    func waitForConditions() async throws {
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
        let closed = try await program.run(["wait", "--when", "ac", "--timeout", "0"] + root)
        #expect(closed.status == 4)
        #expect(closed.run.errors.contains("conditions not met:"))
        #expect(try await program.run(["wait", "--when", "ac", "--timeout", "1s"] + root).status == 4)
        try "1\n".write(toFile: supply + "/online", atomically: true, encoding: .utf8)
        #expect(try await program.run(["wait", "--when", "ac", "--timeout", "60s"] + root).status == 0)
        #expect(try await program.run(["wait", "--when", "sunny"]).status == 2)
        #expect(try await program.run(["wait", "--when", "ac", "1"]).status == 2)
    }

    @Test("A hundred concurrent apps see nothing of each other and leave nothing behind")
    func stressTest() async throws {
        try await DaemonFixture.with { fixture in
            let program = builtProgram("BusStress")
            let output = fixture.program.folder.path + "/stress"
            let stressTest = try ChildProcess(program, [fixture.bus.address, "10", "100", "7"], output: output)
            let status = try await stressTest.wait(within: 300)
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
