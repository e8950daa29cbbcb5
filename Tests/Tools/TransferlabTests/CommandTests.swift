// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import Testing
import TransferModel

@testable import transferlab

@Suite("Commands of transferlab") struct CommandTests {
    /// A folder with generated traces of five devices over four days.
    private struct Folder: ~Copyable {
        let path = FileManager.default.temporaryDirectory.appending(path: "transferlab-\(UUID().uuidString)").path()

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let arguments = ["--days", "4", "--devices", "5", "--ac", "0.4", "--seed", "7", "--output", path]
            let command = try RenewalCommand.parse(arguments)
            try command.run()
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var traces: [String] { (0..<5).map { "\(path)/renewal-\($0).csv" } }

        func file(_ name: String) -> String { "\(path)/\(name)" }

        func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

        /// The results of all devices together. Parts have no results of single devices.
        func pooled(_ name: String) throws -> NSDictionary {
            let document = try JSONSerialization.jsonObject(with: Data(text(name).utf8)) as? [String: Any]
            var study = try #require(document)
            study["policies"] = (study["policies"] as? [[String: Any]])?.map { line in
                line.filter { $0.key != "devices" }
            }
            return study as NSDictionary
        }

        var study: [String] {
            traces + ["--workload", "generated", "--policy", "strict,ladder,default,oracle", "--seed", "3"]
        }
    }

    @Test("The number of parallel replays does not change a byte of the results")
    func widths() async throws {
        let folder = try Folder()
        for width in ["1", "2", "7"] {
            let json = folder.file("\(width).json")
            let options = ["--jobs", width, "--json", json, "--csv", json + ".csv"]
            let command = try RunCommand.parse(folder.study + options)
            try await command.run()
        }
        let first = try folder.text("1.json")
        #expect(first.count > 1000)
        #expect(try folder.text("2.json") == first)
        #expect(try folder.text("7.json") == first)
        #expect(try folder.text("7.json.csv") == folder.text("1.json.csv"))
    }

    @Test("Prices decide costs, in every command the same; they must cover the traces")
    func prices() async throws {
        let folder = try Folder()
        let starts = try folder.traces.map { try Trace(csv: Files.read($0), device: "d", file: $0) }
        let first = starts.map(\.start.secondsSinceEpoch).min() ?? 0
        let hours = (starts.map(\.end.secondsSinceEpoch).max() ?? 0) / 3600 - first / 3600 + 1
        let curve = folder.file("curve.csv")
        func write(_ count: Int64) throws -> String {
            let rows = (0..<count).map { "\(first + $0 * 3600),\(first + ($0 + 1) * 3600),\(($0 * 7) % 5)" }
            try ("start,end,price\n" + rows.joined(separator: "\n")).write(
                toFile: curve, atomically: true, encoding: .utf8)
            return curve
        }
        let policies = folder.traces + ["--workload", "generated", "--policy", "unmetered,price,wait-awhile,oracle"]
        let short = try RunCommand.parse(policies + ["--price-curve", try write(3)])
        await #expect(throws: UsageError.self) { try await short.run() }
        let study = policies + ["--price-curve", try write(hours), "--daemon"]
        let whole = try RunCommand.parse(study + ["--json", folder.file("whole.json")])
        try await whole.run()
        let shard = try ShardCommand.parse(["1/1"] + study + ["--output", folder.file("1.part")])
        try await shard.run()
        let merge = try MergeCommand.parse([folder.file("1.part"), "--json", folder.file("merged.json")])
        try merge.run()
        #expect(try folder.pooled("merged.json") == folder.pooled("whole.json"))
        let document = try JSONSerialization.jsonObject(with: Data(folder.text("whole.json").utf8)) as? [String: Any]
        let lines = try #require(document?["policies"] as? [[String: Any]])
        func cost(_ index: Int) -> Double {
            (lines[index]["pooled"] as? [String: Any])?["on_time_cost_per_mb"] as? Double ?? -1
        }
        // Waiting for a price pays, and no policy is better than the optimum.
        #expect(cost(1) < cost(0))
        #expect(cost(2) < cost(0))
        let regrets = lines.compactMap { ($0["pooled"] as? [String: Any])?["regret_per_mb"] as? Double }
        #expect(regrets.count == 4 && regrets.allSatisfy { $0 >= -1e-9 } && regrets[3].magnitude < 1e-9)
        let oracle = try OracleCommand.parse(
            folder.traces + ["--workload", "generated", "--price-curve", curve])
        try await oracle.run()
    }

    @Test("evaluate writes its protocol and its results as JSON")
    func evaluationDocument() async throws {
        let folder = try Folder()
        let command = try EvaluateCommand.parse(
            folder.traces + [
                "--policy", "strict", "--workloads", "2", "--deadlines", "6h", "--prices", "10", "--json",
                folder.file("e.json"),
            ])
        try await command.run()
        let document = try JSONSerialization.jsonObject(with: Data(folder.text("e.json").utf8)) as? [String: Any]
        #expect(document?["workload_bases"] as? [Int] == [2000, 3000])
        #expect(document?["policies"] as? [String] == ["unmetered", "strict"])
        #expect((document?["results"] as? [[String: Any]])?.count == 2)
    }

    @Test("check accepts a donation, and names what should not be in it")
    func check() throws {
        let folder = try Folder()
        let path = folder.traces[0]
        let trace = try Trace(csv: Files.read(path), device: "d", file: path)
        let donation = try #require(Donation(trace: trace, jobs: [], name: "laptop-1", zoneOffset: 0))
        let target = folder.file("donation")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        for (name, text) in donation.files {
            try text.write(toFile: target + "/" + name, atomically: true, encoding: .utf8)
        }
        try CheckCommand.parse([target]).run()
        try trace.csv.write(toFile: target + "/real.csv", atomically: true, encoding: .utf8)
        #expect(throws: ExitCode.self) { try CheckCommand.parse([target]).run() }
        #expect(throws: UsageError.self) { try CheckCommand.parse([folder.file("none")]).run() }
    }

    @Test("Parts of a study, merged in any order, equal the whole study", arguments: [1, 2, 3, 7])
    func shards(count: Int) async throws {
        let folder = try Folder()
        let whole = try RunCommand.parse(folder.study + ["--json", folder.file("whole.json")])
        try await whole.run()
        var parts: [String] = []
        for number in 1...count {
            parts.append(folder.file("\(number).part"))
            let shard = try ShardCommand.parse(["\(number)/\(count)"] + folder.study + ["--output", parts[number - 1]])
            try await shard.run()
        }
        try MergeCommand.parse(parts.reversed() + ["--json", folder.file("merged.json")]).run()
        #expect(try folder.pooled("merged.json") == folder.pooled("whole.json"))
        // If there are more parts than devices, some parts are empty, and the merge does not need the empty parts.
        let used = Set((0..<5).map { StableHash("renewal-\($0)").part(of: count) })
        try MergeCommand.parse(used.map { parts[$0 - 1] } + ["--json", folder.file("used.json")]).run()
        #expect(try folder.pooled("used.json") == folder.pooled("whole.json"))
        guard count > 1 else { return }
        let last = try #require(used.max())
        let missing = #expect(throws: UsageError.self) {
            try MergeCommand.parse(parts.filter { $0 != parts[last - 1] }).run()
        }
        #expect(missing?.description == "missing parts of the study: \(last)/\(count)")
        let twice = #expect(throws: UsageError.self) { try MergeCommand.parse(parts + [parts[0]]).run() }
        #expect(twice?.description.hasSuffix("repeats part 1/\(count)") == true)
        let other = try ShardCommand.parse(
            ["1/\(count)"] + folder.study + ["--penalty", "5", "--output", folder.file("other.part")])
        try await other.run()
        #expect(throws: UsageError.self) {
            try MergeCommand.parse([folder.file("other.part")] + parts.dropFirst()).run()
        }
        #expect(throws: UsageError.self) { try MergeCommand.parse(folder.traces).run() }
    }

    @Test("evaluate adds the reference to the policies, and rejects wrong options")
    func evaluation() async throws {
        let folder = try Folder()
        let options = ["--workloads", "2", "--deadlines", "6h", "--prices", "10"]
        let command = try EvaluateCommand.parse(folder.traces + options + ["--policy", "strict"])
        #expect(try command.policy.selected(reference: "unmetered").map(\.name) == ["unmetered", "strict"])
        #expect(try command.policy.selected(reference: "strict").map(\.name) == ["strict"])
        try await command.run()
        for wrong in [
            ["--policy", "oracle"], ["--workloads", "0"], ["--workloads", "a,b"], ["--deadlines", "0h"],
            ["--prices", "x"], ["--span", "4"], ["--min-known", "1.1"], ["--order", "random"], ["--policy", "nope"],
        ] {
            await #expect(throws: (any Error).self, "\(wrong)") {
                try await EvaluateCommand.parse(folder.traces + wrong).run()
            }
        }
    }

    @Test("A pipe receives a result directly and is not replaced by a file")
    func pipe() throws {
        let folder = try Folder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        try Files.write("a result", to: path)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == "a result")
    }

    @Test("A result that is worse than allowed fails the comparison")
    func diff() async throws {
        let folder = try Folder()
        for (name, policies) in [("a", "strict,ladder"), ("b", "ladder,strict"), ("c", "ladder")] {
            let arguments = folder.traces + ["--workload", "generated", "--json", folder.file(name)]
            let command = try RunCommand.parse(arguments + ["--policy", policies])
            try await command.run()
        }
        func compare(_ names: String..., limit: String...) throws {
            try DiffCommand.parse(names.map { folder.file($0) } + limit.flatMap { ["--fail-if", $0] }).run()
        }
        try compare("a", "b", limit: "regret>+0%", "late>0")
        #expect(throws: ExitCode.self) { try compare("a", "b", limit: "cost>-1") }
        #expect(throws: ExitCode.self) { try compare("a", "c") }
        #expect(throws: UsageError.self) { try compare("a", "b", limit: "speed>1") }
        #expect(throws: UsageError.self) { try DiffCommand.parse([folder.traces[0], folder.file("a")]).run() }
    }

    @Test("A comparison's limit is a difference or a percentage")
    func limits() throws {
        let percent = try DiffLimit("regret>+1%")
        #expect(!percent.isExceeded(from: 1, to: 1.009) && percent.isExceeded(from: 1, to: 1.011))
        #expect(percent.isExceeded(from: 0, to: 1e-9) && !percent.isExceeded(from: 0, to: 0))
        #expect(percent.isExceeded(from: 1, to: nil) && !percent.isExceeded(from: nil, to: 1))
        let amount = try DiffLimit("late > 0.005")
        #expect(!amount.isExceeded(from: 0.01, to: 0.015) && amount.isExceeded(from: 0.01, to: 0.0151))
        for text in ["regret", "regret>", "regret>x%", ">1", "late>nan", "late>1>2"] {
            #expect(throws: UsageError.self) { try DiffLimit(text) }
        }
    }

    @Test("An axis is a list or a range, and several axes of one policy are combined")
    func axes() throws {
        let axes = try ["ladder.bat=0:0.3:0.1", "strict.x=1", "ladder.cell=0.9,inf"].map { try SweepAxis($0) }
        #expect(
            SweepAxis.names(of: axes) == [
                "ladder:bat=0:cell=0.9", "ladder:bat=0:cell=inf", "ladder:bat=0.1:cell=0.9", "ladder:bat=0.1:cell=inf",
                "ladder:bat=0.2:cell=0.9", "ladder:bat=0.2:cell=inf", "ladder:bat=0.3:cell=0.9",
                "ladder:bat=0.3:cell=inf", "strict:x=1",
            ])
        for text in ["ladder", "ladder=1", "a.b.c=1", "ladder.bat=1:0:1", "ladder.bat=0:1:0", "ladder.bat=0:1:x"] {
            #expect(throws: UsageError.self) { try SweepAxis(text) }
        }
    }

    @Test("Durations have a unit and are above 0")
    func durations() throws {
        for (text, seconds) in [("90", 90), ("90s", 90), ("40m", 2400), ("1.5h", 5400), ("2d", 172_800.0)] {
            #expect(try DurationText.seconds(text, for: "x") == seconds)
        }
        for text in ["", "m", "0", "-1s", "inf", "nan", "1y"] {
            #expect(throws: UsageError.self) { try DurationText.seconds(text, for: "x") }
        }
    }

    @Test("Invalid options are rejected before any file is read")
    func wrong() async throws {
        for option in [
            ["--penalty", "-1"], ["--penalty", "nan"], ["--costs", "1,2,3"], ["--costs", "0,1,x,5"],
            ["--concurrency", "0"], ["--jobs", "-1"], ["--wifi-rate", "0"], ["--sort", "colour"],
        ] {
            #expect(throws: (any Error).self, "\(option)") {
                _ = try RunCommand.parse(["a.csv", "--workload", "w"] + option)
            }
        }
        for shard in ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3"] {
            let command = try ShardCommand.parse([shard, "a.csv", "--workload", "w"])
            await #expect(throws: UsageError.self, "\(shard)") { try await command.run() }
        }
        let twice = try RunCommand.parse(["a.csv", "--workload", "w", "--policy", "strict,strict"])
        await #expect(throws: UsageError.self) { try await twice.run() }
    }
}
