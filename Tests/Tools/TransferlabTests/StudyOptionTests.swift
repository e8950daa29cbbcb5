// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import Testing
import TransferModel
import TransferScheduling

@testable import transferlab

@Suite("Options and texts of transferlab") struct StudyOptionTests {
    /// A folder with two devices: the trace of `full` has no gaps, and the trace of `sparse` records a tenth of the
    /// time.
    private struct Folder: ~Copyable {
        let path = FileManager.default.temporaryDirectory.appending(path: "transferlab-\(UUID().uuidString)").path()

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let days = 1_000_000 + 4 * 86_400
            try Files.write(Self.trace([(1_000_000, days, "ac,wifi")]), to: file("full.csv"))
            try Files.write(
                Self.trace([(1_000_000, 1_034_560, "ac,wifi"), (1_034_560, days, "unknown,unknown")]),
                to: file("sparse.csv"))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        private static func trace(_ segments: [(Int, Int, String)]) -> String {
            (["t_start,t_end,power,net,level"] + segments.map { "\($0.0),\($0.1),\($0.2)," })
                .joined(separator: "\n") + "\n"
        }

        func file(_ name: String) -> String { "\(path)/\(name)" }
        var traces: [String] { [file("sparse.csv"), file("full.csv")] }
        func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
    }

    @Test("--min-known leaves out traces with large gaps before it generates jobs")
    func minimumKnown() async throws {
        let folder = try Folder()
        let study = ["--workload", "generated", "--policy", "strict"]
        let all = try RunCommand.parse(folder.traces + study + ["--json", folder.file("all")])
        try await all.run()
        for minimum in ["0.6", "60%"] {
            let command = try RunCommand.parse(
                folder.traces + study + ["--min-known", minimum, "--json", folder.file("known")])
            try await command.run()
            let alone = try RunCommand.parse([folder.file("full.csv")] + study + ["--json", folder.file("alone")])
            try await alone.run()
            #expect(try folder.text("known") == folder.text("alone"))
            #expect(try folder.text("known") != folder.text("all"))
        }
        let none = try RunCommand.parse([folder.file("sparse.csv")] + study + ["--min-known", "0.6"])
        let refused = await #expect(throws: UsageError.self) { try await none.run() }
        #expect(refused?.description.hasSuffix("no device remains") == true)
    }

    @Test("--min-known keeps the jobs of a workload file for the devices that remain")
    func minimumKnownOfFile() throws {
        let folder = try Folder()
        let jobs = folder.file("jobs.csv")
        try Files.write(
            "device,id,arrival,bytes,deadline\nsparse,1,1000000,5,1086400\nfull,7,1000000,5,1086400\n", to: jobs)
        let command = try RunCommand.parse(folder.traces + ["--workload", jobs, "--min-known", "60%"])
        let cases = try command.study.cases(command.coverage)
        #expect(cases.map(\.name) == ["full"] && cases[0].jobs.map(\.id) == [7])
    }

    @Test("A share is a number from 0 to 1, or a percentage", arguments: ["0.6", "60%", "0", "100%", "1"])
    func share(_ text: String) { #expect(CoverageOptions.Share(argument: text)?.text == text) }

    @Test("Other shares are rejected", arguments: ["60", "-0.1", "101%", "", "%", "nan", "1,0"])
    func wrongShare(_ text: String) { #expect(CoverageOptions.Share(argument: text) == nil) }

    @Test("Equal studies have equal pages, whatever the number of parallel replays and the name of the page")
    func pages() async throws {
        let folder = try Folder()
        let study = ["--workload", "generated", "--policy", "strict,oracle", "--seed", "9", "--costs", "0,1,2,3"]
        for (name, jobs) in [("a.html", "1"), ("b.html", "2")] {
            let output = ["--jobs", jobs, "--html", folder.file(name)]
            let command = try RunCommand.parse(folder.traces + study + output)
            try await command.run()
        }
        let page = try folder.text("a.html")
        #expect(try page == folder.text("b.html"))
        for part in [
            "transferlab \(TransferLab.version)", "\"Seed\",\n\"9\"",
            "--policy strict,oracle --costs 0,1,2,3 --seed 9",
            "sparse.csv", "full.csv", "random jobs, seeds from 1000", "\"warning\": \"1 of 2 traces",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        let unknown = try RunCommand.parse(
            folder.traces + study + ["--html", folder.file("c.html"), "--html-device", "phone"])
        await #expect(throws: UsageError.self) { try await unknown.run() }
    }

    @Test("A device for the page is rejected where no page shows devices")
    func pageDevices() throws {
        #expect(throws: (any Error).self) { try RunCommand.parse(["a.csv", "--workload", "w", "--html-device", "a"]) }
    }

    @Test("A page shows all devices, or else the extremes, devices between them, and the named ones")
    func shownDevices() {
        #expect(StudyRunner.shownDevices(lateShares: [0.1, 0.5, 0.1], named: []) == [1, 0, 2])
        let many = (0..<300).map { Double($0) / 300 }
        let shown = StudyRunner.shownDevices(lateShares: many, named: [7])
        #expect(shown.count == 61 && shown.first == 299 && shown.last == 0 && shown.contains(7))
    }

    @Test("Words of a command line are quoted for a shell")
    func quoted() {
        let words = ["a.csv", "ladder:bat=0.5,oracle", "it's", "", "$HOME/x y", "übung.csv"]
        #expect(
            words.map(StudyOptions.quoted) == [
                "a.csv", "ladder:bat=0.5,oracle", "'it'\\''s'", "''", "'$HOME/x y'", "übung.csv",
            ])
    }

    @Test("Files that cannot be read or written are reported in plain words")
    func plainWords() throws {
        let folder = try Folder()
        func message(_ body: () throws -> Void) -> String? {
            #expect(throws: UsageError.self, performing: body)?.description.replacing(folder.path, with: "DIR")
        }
        let full = folder.file("full.csv")
        #expect(message { _ = try Files.read(folder.path) } == "cannot read DIR: it is a folder, not a file")
        #expect(message { _ = try Files.read(folder.file("x")) } == "cannot read DIR/x: there is no such file")
        #expect(message { _ = try Files.read(folder.file("x/y")) } == "cannot read DIR/x/y: there is no folder DIR/x")
        #expect(
            message { _ = try Files.read(full + "/y") }
                == "cannot read DIR/full.csv/y: a part of its path is a file, not a folder")
        #expect(message { try Files.write("", to: folder.path) } == "cannot write DIR: it is a folder, not a file")
        #expect(
            message { try Files.write("", to: folder.file("x/y")) } == "cannot write DIR/x/y: there is no folder DIR/x")
        #expect(
            message { try Files.createFolder(full) } == "cannot create the folder DIR/full.csv: a file has this name")
        #expect(
            message { try Files.createFolder(full + "/y") }
                == "cannot create the folder DIR/full.csv/y: a part of its path is a file, not a folder")
        let long = String(repeating: "n", count: 300)
        #expect(message { _ = try Files.read(folder.file(long)) }?.hasSuffix(": the name is too long") == true)
    }

    @Test("A comparison shows readable values, and all digits if the readable ones are equal")
    func changes() {
        #expect(DiffCommand.change("delay", from: 21_600, to: 43_200) == "6 h → 12 h")
        #expect(DiffCommand.change("delay", from: 21_600, to: 21_601) == "21600.0 → 21601.0 s")
        #expect(DiffCommand.change("delay", from: 21_600, to: 21_600) == "6 h")
        #expect(DiffCommand.change("late", from: 0.0123, to: 0.5) == "1.23 % → 50.00 %")
        #expect(DiffCommand.change("regret", from: 0.1234, to: nil) == "0.123 → -")
        #expect(DiffCommand.change("activations", from: 46, to: 55) == "46 → 55")
        #expect(DiffCommand.change("cost", from: nil, to: nil) == "-")
    }

    @Test("The periods of a job are told in sentences, and its end by its deadline")
    func sentences() {
        #expect(ExplainCommand.sentence("running") == "Running")
        #expect(ExplainCommand.sentence("on battery; no network") == "Waiting: on battery; no network")
        #expect(ExplainCommand.sentence("not recorded").hasPrefix("Power or network was not recorded"))
        let start = WallTime(secondsSinceEpoch: 0)
        func at(_ seconds: Int64) -> WallTime { start.advanced(by: .seconds(seconds)) }
        let job = Job(id: 4, arrival: start, bytes: 6_198_041, deadline: at(7200))
        let begin = "Job 4: 6,198,041 bytes, submitted 1970-01-01T00:00:00Z, due 1970-01-01T02:00:00Z, "
        #expect(
            ExplainCommand.summary(of: job, end: at(3600))
                == begin + "finished 1970-01-01T01:00:00Z (1 h 0 min after submission, 1 h 0 min before its deadline)")
        #expect(
            ExplainCommand.summary(of: job, end: at(7260))
                == begin + "finished 1970-01-01T02:01:00Z (2 h 1 min after submission, 1 min 0 s after its deadline)")
        #expect(ExplainCommand.summary(of: job, end: nil) == begin + "not finished")
    }
}
