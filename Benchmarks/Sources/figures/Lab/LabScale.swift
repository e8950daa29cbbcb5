// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures studies of many devices: the rate of one process, its scaling to two cores, the additional processor time of
/// each engine, and the memory of a part and of a merge.
///
/// The engines run the same devices as one process does, through the scripts in `Benchmarks/Clusters`. Slurm is not
/// measured, because its jobs are no descendants of this process.
enum LabScale {
    private static let policies = "unmetered,strict,oracle"

    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let lab = try Transferctl.path(options, of: "transferlab")
        let folder = try WorkFolder(in: options.memoryFolder, room: 200_000_000)
        try linkProgram(lab, in: folder)
        let devices = options.isQuick ? 400 : 4000
        let study = study(devices)
        let one = Side(name: "one process", program: lab, arguments: ["shard", "1/1", "--jobs", "1"] + study)
        var sides = [one, Side(name: "two cores", program: lab, arguments: ["shard", "1/1", "--jobs", "2"] + study)]
        sides += try engines(options, study, in: folder)
        let rounds = options.isQuick ? 1 : 3
        let comparison = Comparison(sides: sides, rounds: rounds, warmUps: 0)
        let costs = try comparison.run()
        guard let alone = costs[0] else { return [] }
        let years = Double(devices) * 30 / 365 * 2
        var results = [
            BenchmarkResult(
                name: "lab-scale device-years of two policies", ours: Spread(alone.map { years / $0.cpu }),
                unit: "a second and core"),
            BenchmarkResult(
                name: "lab-scale one core to two", ours: Spread(alone.map(\.wall)), unit: "s", peer: "two cores",
                theirs: costs[1].flatMap { Spread($0.map(\.wall)) }, bar: .infinity, lowerBar: 1.8),
        ]
        for (side, cost) in zip(sides, costs).dropFirst(2) {
            results.append(
                BenchmarkResult(
                    name: "lab-scale \(side.name)", ours: cost.flatMap { Spread($0.map(\.cpu)) },
                    unit: "s of processor time",
                    peer: one.name, theirs: Spread(alone.map(\.cpu)), bar: 1.05))
        }
        return try results + [synthesis(lab, folder, options, rounds)] + memory(lab, folder)
    }

    private static func study(_ devices: Int) -> [String] {
        [
            "--population", "renewal:p=0.65,ac=0.4,days=30,devices=\(devices),seed=7", "--workload", "generated",
            "--policy", policies,
        ]
    }

    /// Puts the program into a folder that the scripts find in their path.
    private static func linkProgram(_ lab: String, in folder: WorkFolder) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/www/transferlab", withDestinationPath: URL(fileURLWithPath: lab).path)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        setenv("PATH", "\(folder.path)/www:\(path)", 1)
    }

    private static func engines(_ options: Options, _ study: [String], in folder: WorkFolder) throws -> [Side] {
        let scripts = URL(fileURLWithPath: #filePath).appending(path: "../../../../Clusters").standardizedFileURL.path
        let parallel = Command.find("parallel")
        let parts = "\(folder.path)/parts"
        return [
            Side(
                name: "GNU parallel, 20 parts", program: parallel == nil ? nil : "\(scripts)/parallel.sh",
                arguments: ["20", parts] + study, artifacts: [parts]),
            Side(
                name: "GNU parallel, pipe", program: parallel == nil ? nil : "\(scripts)/pipe.sh", arguments: study),
            Side(
                name: "Spark, local[2], 20 partitions", program: options.program("spark-submit"),
                arguments: ["--master", "local[2]", "\(scripts)/spark.py", "\(parts).part", "20"] + study,
                artifacts: ["\(parts).part"]),
        ]
    }

    /// Compares the time to make days with the time to make and replay them.
    private static func synthesis(
        _ lab: String, _ folder: WorkFolder, _ options: Options, _ rounds: Int
    ) throws -> BenchmarkResult {
        let count = options.isQuick ? 200 : 1000
        let days = "\(folder.path)/days"
        let synth = Side(
            name: "synth", program: lab,
            arguments: ["synth", "renewal", "--ac", "0.4", "--devices", "\(count)", "--output", days], artifacts: [days]
        )
        let replay = Side(
            name: "replay under one policy", program: lab,
            arguments: [
                "shard", "1/1", "--jobs", "1", "--population", "renewal:ac=0.4,devices=\(count)", "--workload",
                "generated", "--policy", "strict",
            ])
        let comparison = Comparison(sides: [synth, replay], rounds: rounds)
        return .medians(
            "lab-scale synth", comparison, try comparison.run(), against: 1, bar: 1, "s of processor time", \.cpu)
    }

    /// Measures the peak memory of one of ten thousand parts of a million devices, and of a merge of a thousand copies
    /// of its totals under different numbers.
    private static func memory(_ lab: String, _ folder: WorkFolder) throws -> [BenchmarkResult] {
        let part = "\(folder.path)/1.part"
        let shard = try Command(
            program: lab, arguments: ["shard", "1/10000", "--jobs", "2", "--output", part] + study(1_000_000)
        ).run(samplesMemory: true)
        let text = try String(contentsOfFile: part, encoding: .utf8)
        let parts = "\(folder.path)/thousand"
        try Data().write(to: URL(fileURLWithPath: parts))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: parts))
        for number in 1...1000 {
            let numbered = text.replacingOccurrences(of: "\"parts\":\"1\"", with: "\"parts\":\"\(number)\"")
            try file.write(contentsOf: Data(numbered.utf8))
        }
        try file.close()
        let merge = try Command(program: lab, arguments: ["merge", parts, "--part", "/dev/null"]).run(
            samplesMemory: true)
        return [("part of 1,000,000 devices", shard), ("merge of 1000 parts", merge)].map { name, cost in
            BenchmarkResult(
                name: "lab-scale memory: \(name)", ours: cost.peakMemory.map { Spread($0) }, unit: "MB", bar: 200,
                isBarAbsolute: true)
        }
    }
}
