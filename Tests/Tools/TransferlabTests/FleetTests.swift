// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import Testing

@testable import transferlab

/// Tests of studies that are divided.
@Suite("Studies in parts") struct FleetTests {
    private let folder = LabFolder()
    /// 40 devices of three days.
    private static let population = "renewal:p=0.6,ac=0.4,days=3,devices=40,seed=7"
    private static let study = [
        "--population", population, "--workload", "generated", "--policy", "strict,default,oracle", "--seed", "3",
    ]

    private func shard(_ part: String, _ study: [String] = study, to name: String) async throws -> String {
        try await ShardCommand.parse([part] + study + ["--output", folder.file(name)]).run()
        return folder.file(name)
    }

    private func line(_ name: String) throws -> String { try folder.text(name) }

    /// The part without the property that differs between divisions: the number of parts.
    private func results(_ name: String) throws -> NSDictionary {
        var part = try #require(
            try JSONSerialization.jsonObject(with: Data(folder.text(name).utf8)) as? [String: Any])
        part["parts"] = nil
        var header = part["header"] as? [String: Any]
        header?["shards"] = nil
        part["header"] = header
        return part as NSDictionary
    }

    @Test("Parts, merged in one step or in a tree, and the pipe give the numbers of the undivided study")
    func sameNumbers() async throws {
        let whole = try await shard("1/1", to: "whole.part")
        for count in [8, 30] {
            var parts: [String] = []
            for number in 1...count {
                parts.append(try await shard("\(number)/\(count)", to: "\(count)-\(number).part"))
            }
            try MergeCommand.parse(parts.shuffled() + ["--part", folder.file("flat-\(count)")]).run()
            let groups = stride(from: 0, to: count, by: 7).map { Array(parts[$0..<min(count, $0 + 7)]) }
            for (index, group) in groups.enumerated() {
                try MergeCommand.parse(group + ["--part", folder.file("group-\(index)")]).run()
            }
            let merged = groups.indices.map { folder.file("group-\($0)") }
            try MergeCommand.parse(merged + ["--part", folder.file("tree-\(count)")]).run()
            #expect(try line("flat-\(count)") == line("tree-\(count)"))
            #expect(try results("flat-\(count)") == results("whole.part"))
        }
        let names = (0..<40).reversed().map { $0 % 2 == 0 ? "\($0)" : "renewal-\($0 < 10 ? "0" : "")\($0)" }
        try Files.write(names.joined(separator: "\n") + "\n\n", to: folder.file("names"))
        var lines: [String] = []
        try await DevicesCommand.parse(Self.study).replay(namedBy: LineReader(folder.file("names"))) {
            lines.append($0)
        }
        #expect(lines.count == 40 && lines.allSatisfy { $0.hasSuffix("\n") })
        try Files.write(lines.joined(), to: folder.file("lines"))
        try MergeCommand.parse([folder.file("lines"), "--part", folder.file("pipe")]).run()
        #expect(try results("pipe") == results("whole.part"))

        // The undivided study keeps all delays. Those of parts are within 1 %.
        try await RunCommand.parse(Self.study + ["--json", folder.file("run.json")]).run()
        try MergeCommand.parse([whole, "--json", folder.file("merged.json")]).run()
        let (run, merged) = (try pooled("run.json"), try pooled("merged.json"))
        for (one, other) in zip(run, merged) {
            for (key, value) in one where key.hasPrefix("delay") || key.hasPrefix("slack") {
                let (exact, found) = (value as? Double ?? 0, other[key] as? Double ?? -1)
                #expect((exact - found).magnitude <= 0.010_001 * exact, "\(key)")
            }
            for key in ["jobs", "done", "missed", "starts", "stops", "late_share", "on_time_cost_per_mb", "active_s"] {
                #expect(one[key] as? NSObject == other[key] as? NSObject, "\(key)")
            }
        }
    }

    private func pooled(_ name: String) throws -> [[String: Any]] {
        let document = try JSONSerialization.jsonObject(with: Data(folder.text(name).utf8)) as? [String: Any]
        let lines = try #require(document?["policies"] as? [[String: Any]])
        return try lines.map { try #require($0["pooled"] as? [String: Any]) }
    }

    @Test("A part that is written twice has the same bytes, whatever the number of replays at a time")
    func sameBytes() async throws {
        _ = try await shard("2/3", to: "a")
        _ = try await shard("2/3", Self.study + ["--jobs", "1"], to: "b")
        _ = try await shard("2/3", Self.study + ["--jobs", "5"], to: "c")
        #expect(try line("a") == line("b"))
        #expect(try line("a") == line("c"))
    }

    @Test("A part reads only the traces of its devices, and parts of other jobs are rejected")
    func lonelyShards() async throws {
        let synth = ["--days", "4", "--devices", "5", "--ac", "0.4", "--seed", "7", "--output", folder.path]
        try RenewalCommand.parse(synth).run()
        let traces = (0..<5).map { folder.file("renewal-\($0).csv") }
        let jobs = folder.file("jobs.csv")
        let workload = try zip(0..., TraceSequence(traces).all()).map { number, trace in
            Workload.Device(name: trace.device, jobs: WorkloadGenerator.jobs(for: trace, seed: UInt64(number)))
        }
        // The third device has no transfers and therefore belongs to no part.
        try Files.write(Workload(devices: workload.filter { $0.name != "renewal-2" }).csv, to: jobs)
        let study = traces + ["--workload", jobs, "--policy", "strict,default,oracle"]
        let whole = try RunCommand.parse(study + ["--json", folder.file("whole.json")])
        try await whole.run()
        for number in 1...2 {
            let mine = (0..<5).filter { StableHash("renewal-\($0)").part(of: 2) == number && $0 != 2 }
            for device in 0..<5 where !mine.contains(device) {
                try FileManager.default.moveItem(atPath: traces[device], toPath: folder.file("away-\(device)"))
            }
            let shard = try ShardCommand.parse(["\(number)/2"] + study + ["--output", folder.file("\(number).part")])
            try await shard.run()
            for device in 0..<5 where !mine.contains(device) {
                try FileManager.default.moveItem(atPath: folder.file("away-\(device)"), toPath: traces[device])
            }
        }
        let parts = ["1.part", "2.part"].map { folder.file($0) }
        try MergeCommand.parse(parts + ["--json", folder.file("merged.json")]).run()
        #expect(try pooled("merged.json") as NSArray == pooled("whole.json") as NSArray)
        let text = try folder.text("jobs.csv")
        try Files.write(text + "renewal-4,999,1700000000,5,\n", to: jobs)
        let other = try ShardCommand.parse(["1/2"] + study + ["--output", parts[0]])
        try await other.run()
        let refused = #expect(throws: UsageError.self) { try MergeCommand.parse(parts).run() }
        #expect(refused?.description.hasSuffix("its inputs or options differ") == true)
    }

    @Test("A device that is missing or counted twice in a pipe is noticed")
    func wrongPipe() async throws {
        var lines: [String] = []
        try Files.write((0..<40).map { "\($0)\n" }.joined(), to: folder.file("names"))
        try await DevicesCommand.parse(Self.study).replay(namedBy: LineReader(folder.file("names"))) {
            lines.append($0)
        }
        for wrong in [Array(lines.dropLast()), lines + [lines[3]], Array(lines.dropLast()) + [lines[3]]] {
            try Files.write(wrong.joined(), to: folder.file("lines"))
            let error = #expect(throws: UsageError.self) { try MergeCommand.parse([folder.file("lines")]).run() }
            #expect(error?.description.contains("of 40 devices; a device is missing or was counted twice") == true)
        }
        try Files.write("nobody\n", to: folder.file("names"))
        let unknown = await #expect(throws: UsageError.self) {
            try await DevicesCommand.parse(Self.study).replay(namedBy: LineReader(folder.file("names"))) { _ in }
        }
        #expect(unknown?.description.hasPrefix("'nobody' is not a device of the population") == true)
    }

    @Test("A part that is cut off, or of another version, is rejected")
    func damagedParts() async throws {
        _ = try await shard("1/1", to: "whole.part")
        let text = try line("whole.part")
        for wrong in [
            String(text.dropLast(40)), text.replacingOccurrences(of: #""format":3"#, with: #""format":2"#),
            text.replacingOccurrences(of: #""jobs":"#, with: #""job":"#),
            text.replacingOccurrences(of: #""parts":[1]"#, with: #""parts":"1""#), "device,id\n", "{}\n", "",
        ] {
            try Files.write(wrong, to: folder.file("wrong.part"))
            #expect(throws: UsageError.self, "\(wrong.prefix(20))") {
                try MergeCommand.parse([folder.file("wrong.part"), "--part", folder.file("x")]).run()
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("x")))
    }

    @Test("A run goes on from its finished parts, and leaves them alone")
    func resumption() async throws {
        let run = Self.study + ["--parts", folder.file("parts"), "--shards", "4"]
        try await RunCommand.parse(run + ["--json", folder.file("first.json")]).run()
        let path = { (number: Int) in folder.file("parts/\(number)-of-4.part") }
        func inode(_ number: Int) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path(number))[.systemFileNumber] as? Int
        }
        let before = try (1...4).map(inode)
        try FileManager.default.removeItem(atPath: path(3))
        try await RunCommand.parse(run + ["--json", folder.file("second.json")]).run()
        #expect(try folder.text("first.json") == folder.text("second.json"))
        for number in [1, 2, 4] { #expect(try inode(number) == before[number - 1]) }
        #expect(FileManager.default.fileExists(atPath: path(3)))
        let other = try RunCommand.parse(run + ["--penalty", "5"])
        let refused = await #expect(throws: UsageError.self) { try await other.run() }
        #expect(refused?.description.hasSuffix("use another folder") == true)
        // A part in the folder is not run again by 'shard' either.
        try await ShardCommand.parse(["2/4"] + Self.study + ["--parts", folder.file("parts")]).run()
        #expect(try inode(2) == before[1])
        try MergeCommand.parse([folder.file("parts"), "--json", folder.file("merged.json")]).run()
        #expect(try folder.text("merged.json") == folder.text("first.json"))
    }

    @Test("A population equals the files that 'synth' writes")
    func population() async throws {
        let synth = ["--p", "0.6", "--ac", "0.4", "--days", "3", "--devices", "40", "--seed", "7"]
        try RenewalCommand.parse(synth + ["--output", folder.file("days")]).run()
        let files = [folder.file("days")] + Self.study.dropFirst(2)
        try await RunCommand.parse(files + ["--json", folder.file("files.json")]).run()
        try await RunCommand.parse(Self.study + ["--json", folder.file("population.json")]).run()
        #expect(try folder.text("files.json") == folder.text("population.json"))
    }

    @Test(
        "A population with a wrong model, key, or number is rejected",
        arguments: [
            "markov:p=0.5", "renewal:p", "renewal:p=2", "renewal:devices=0", "renewal:speed=1", "renewal:output=/tmp",
            "",
            "renewal:days=0", "renewal:p=x",
        ])
    func wrongPopulation(_ text: String) {
        let error = #expect(throws: UsageError.self) { try PopulationText.population(text) }
        #expect(error?.description.hasPrefix("--population: ") == true)
    }

    @Test("The part is found in the variables of each batch system")
    func engines() throws {
        func choice(_ environment: [String: String], of count: Int? = nil) throws -> ShardChoice {
            try ShardChoice(environment: environment, count: count)
        }
        let slurm = ["SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_ARRAY_TASK_MIN": "10"]
        #expect(try choice(slurm) == ShardChoice(number: 3, count: 8))
        #expect(try choice(["AWS_BATCH_JOB_ARRAY_INDEX": "0"], of: 5) == ShardChoice(number: 1, count: 5))
        #expect(try choice(["JOB_COMPLETION_INDEX": "4"], of: 5) == ShardChoice(number: 5, count: 5))
        #expect(try choice(["PARALLEL_SEQ": "5"], of: 5) == ShardChoice(number: 5, count: 5))
        for (environment, count) in [
            ([:], 5), (["PARALLEL_SEQ": "5"], nil), (["PARALLEL_SEQ": "6"], 5), (["PARALLEL_SEQ": "0"], 5),
            (["JOB_COMPLETION_INDEX": "x"], 5), (["JOB_COMPLETION_INDEX": "5"], 5), (["PARALLEL_SEQ": "1"], 0),
        ] as [([String: String], Int?)] {
            #expect(throws: UsageError.self, "\(environment)") { try choice(environment, of: count) }
        }
        let command = try ShardCommand.parse(["auto"] + Self.study)
        #expect(try command.choice(in: slurm) == ShardChoice(number: 3, count: 8))
        for text in ["0/8", "9/8", "8", "a/8", "1/0", "1/2/3", "-1/8"] {
            #expect(throws: UsageError.self, "\(text)") { try ShardChoice(text) }
        }
    }

    @Test("Progress states what is done, the rate, and the time left")
    func progress() {
        let state = ProgressReport.State(done: 250, total: 1000, rate: 12.34)
        #expect(state.bar == "[######..................] 250 of 1000 devices, 12/s, 61 s left")
        #expect(state.json == #"{"devices":250,"total":1000,"per_second":12.3,"seconds_left":61}"#)
        let open = ProgressReport.State(done: 3, total: nil, rate: 0)
        let slow = ProgressReport.State(done: 1, total: 4, rate: 0.1, unit: "parts")
        #expect(slow.bar == "[######..................] 1 of 4 parts, 6/min, 30 s left")
        #expect(open.bar == "3 devices" && open.json == #"{"devices":3,"per_second":0.0}"#)
    }
}

/// A temporary folder for the files of a test.
final class LabFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "transferlab-\(UUID().uuidString)").path()

    init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}
