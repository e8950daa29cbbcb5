// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import ProcessFixtures
import Testing

@testable import transferlab

/// Tests of the ways to name traces.
@Suite("Inputs of studies") struct TraceInputTests {
    private let folder = LabFolder()

    /// Writes three traces into a folder, and a file that is none.
    private func writeTraces() throws {
        try RenewalCommand.parse(["--days", "2", "--devices", "3", "--output", folder.file("days")]).run()
        try Files.write("not a trace", to: folder.file("days/README"))
    }

    private func names(_ arguments: String...) throws -> [String] {
        try TraceOptions.parse(arguments).all().map(\.device)
    }

    /// Runs a program in the folder.
    private func run(_ words: String...) async throws {
        try await FixtureProcess.run(["env", "-C", folder.path] + words)
    }

    private static let all = ["renewal-0", "renewal-1", "renewal-2"]

    @Test("A folder, a pattern, and a list name the same traces, in the order of their names")
    func folders() throws {
        try writeTraces()
        #expect(try names(folder.file("days")) == Self.all)
        #expect(try names(folder.file("days/")) == Self.all)
        #expect(try names(folder.file("days/*.csv")) == Self.all)
        #expect(try names(folder.file("days/renewal-[02].csv")) == ["renewal-0", "renewal-2"])
        let paths = Self.all.map { folder.file("days/\($0).csv") }
        try Files.write("\n\(paths[2])\n  \(paths[0])\n", to: folder.file("list"))
        #expect(try names("--traces-from", folder.file("list")) == ["renewal-2", "renewal-0"])
    }

    @Test("The converter turns recordings of UPower and of the ExtraSensory study into traces, and rejects others")
    func conversion() async throws {
        let top = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let awk = "awk -v net=wifi -f '\(top)/Benchmarks/Converters/trace.awk'"
        let sample = "\(top)/Tests/Core/PolicyLabTests/Samples/synthetic.features_labels.csv"
        let history = [
            "1000\t80.000\tdischarging", "1100\t79.000\tdischarging", "5000\t78.500\tdischarging",
            "9000\t50.000\tcharging", "9100\t60.000\tfully-charged", "60000\t0.000\tunknown",
        ]
        try Files.write(history.joined(separator: "\n") + "\n", to: folder.file("battery.dat"))
        try await run("sh", "-c", "\(awk) battery.dat >laptop.csv && \(awk) '\(sample)' >phone.csv")
        // A state lasts until the next one, across a gap only if both are equal.
        let laptop = try TraceOptions.parse([folder.file("laptop.csv")]).all()
        #expect(
            laptop.map(\.csv) == [
                """
                t_start,t_end,power,net,level
                1000,5060,battery,wifi,0.8
                5060,9000,unknown,unknown,
                9000,9160,ac,wifi,0.5
                9160,60000,unknown,unknown,
                60000,60060,unknown,wifi,

                """
            ])
        let phone = try TraceOptions.parse([folder.file("phone.csv")]).all()
        #expect(
            phone.map(\.csv) == [
                """
                t_start,t_end,power,net,level
                1444079161,1444079282,ac,wifi,0.9
                1444079282,1444079341,battery,cell,0.99
                1444079341,1444079401,unknown,unknown,
                1444079401,1444079461,ac,cell,
                1444079461,1444083161,unknown,unknown,
                1444083161,1444083221,battery,wifi,0.45

                """
            ])
        for wrong in ["10\t80\tasleep", "x\t80\tcharging", "10\t80\tcharging\n9\t80\tcharging", "timestamp,a\n1,2"] {
            try Files.write(wrong + "\n", to: folder.file("wrong"))
            try await run("sh", "-c", "! \(awk) wrong 2>/dev/null")
        }
    }

    @Test("Errors name what is wrong")
    func errors() throws {
        try writeTraces()
        func message(_ arguments: String...) -> String {
            do {
                _ = try TraceOptions.parse(arguments).all()
                return "no error"
            } catch { return "\(error)" }
        }
        #expect(message().hasPrefix("no trace is given"))
        #expect(message(folder.file("none.csv")).hasSuffix("there is no such file"))
        #expect(message(folder.file("none*.csv")).hasPrefix("no file matches"))
        #expect(message("--traces-from", folder.file("none")).hasSuffix("there is no such file"))
        try Files.write("\n", to: folder.file("blank"))
        #expect(message("--traces-from", folder.file("blank")).contains("the list is empty"))
        try Files.createFolder(folder.file("empty"))
        #expect(message(folder.file("empty")).hasSuffix("has no .csv file"))
        #expect(
            message(folder.file("days"), folder.file("days/renewal-1.csv")).hasPrefix(
                "two traces have the name renewal-1"))
        for (path, command) in [
            ("days.tar", "tar -xf"), ("days.tar.gz", "tar -xf"), ("days.tgz", "tar -xf"), ("days.tar.zst", "tar -xf"),
            ("a.csv.gz", "gzip -d"), ("a.csv.zst", "zstd -d"),
        ] { #expect(message(path).hasSuffix("unpack it first: \(command) \(path)")) }
        #expect(message("http://a/b.csv").hasSuffix("download it first: transferctl get http://a/b.csv"))
        // A packed trace is not left out of its folder without a word.
        try Files.write("packed", to: folder.file("days/renewal-3.csv.zst"))
        #expect(message(folder.file("days")).hasSuffix("renewal-3.csv.zst"))
        #expect(throws: (any Error).self) { try TraceOptions.parse(["a.csv", "--traces-from", "b"]) }
        #expect(throws: (any Error).self) {
            try TraceOptions.parse(["--population", "renewal:", "--traces-from", "b"])
        }
    }
}
