// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import Testing

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
        #expect(try folder.text("merged.json") == folder.text("whole.json"))
        // If there are more parts than devices, some parts are empty, and the merge does not need the empty parts.
        guard count > 1, count <= 5 else { return }
        let missing = #expect(throws: UsageError.self) { try MergeCommand.parse(Array(parts.dropLast())).run() }
        #expect(missing?.description == "missing parts of the study: \(count)/\(count)")
        #expect(throws: UsageError.self) { try MergeCommand.parse(parts + [parts[0]]).run() }
        let other = try ShardCommand.parse(
            ["1/\(count)"] + folder.study + ["--penalty", "5", "--output", folder.file("other.part")])
        try await other.run()
        #expect(throws: UsageError.self) {
            try MergeCommand.parse([folder.file("other.part")] + parts.dropFirst()).run()
        }
        #expect(throws: UsageError.self) { try MergeCommand.parse(folder.traces).run() }
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

    @Test("A part reads only the traces of its devices, and parts of other jobs are rejected")
    func lonelyShards() async throws {
        let folder = try Folder()
        let jobs = folder.file("jobs.csv")
        let workload = try zip(0..., Files.traces(folder.traces)).map { number, trace in
            Workload.Device(name: trace.device, jobs: WorkloadGenerator.jobs(for: trace, seed: UInt64(number)))
        }
        // The third device has no transfers and therefore belongs to no part.
        try Files.write(Workload(devices: workload.filter { $0.name != "renewal-2" }).csv, to: jobs)
        let study = folder.traces + ["--workload", jobs, "--policy", "strict,default,oracle"]
        let whole = try RunCommand.parse(study + ["--json", folder.file("whole.json")])
        try await whole.run()
        for (number, mine) in [(1, ["0", "3"]), (2, ["1", "4"])] {
            for device in 0..<5 where !mine.contains("\(device)") {
                try FileManager.default.moveItem(atPath: folder.traces[device], toPath: folder.file("away-\(device)"))
            }
            let shard = try ShardCommand.parse(["\(number)/2"] + study + ["--output", folder.file("\(number).part")])
            try await shard.run()
            for device in 0..<5 where !mine.contains("\(device)") {
                try FileManager.default.moveItem(atPath: folder.file("away-\(device)"), toPath: folder.traces[device])
            }
        }
        let parts = ["1.part", "2.part"].map { folder.file($0) }
        try MergeCommand.parse(parts + ["--json", folder.file("merged.json")]).run()
        #expect(try folder.text("merged.json") == folder.text("whole.json"))
        let text = try folder.text("jobs.csv")
        try Files.write(text + "renewal-4,999,1700000000,5,\n", to: jobs)
        let other = try ShardCommand.parse(["1/2"] + study + ["--output", parts[0]])
        try await other.run()
        let refused = #expect(throws: UsageError.self) { try MergeCommand.parse(parts).run() }
        #expect(refused?.description.hasSuffix("their inputs or options differ") == true)
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
