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

    private static func exists(_ program: String) -> Bool {
        ["/usr/bin", "/bin"].contains { access("\($0)/\(program)", X_OK) == 0 }
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

    @Test(
        "Compressed traces are read", .enabled(if: exists("zstd"), "zstd is not installed"),
        arguments: ["gzip", "zstd"])
    func compressed(_ program: String) async throws {
        try writeTraces()
        let plain = try TraceOptions.parse([folder.file("days/renewal-1.csv")]).all()
        try await run(program, "-q", "days/renewal-1.csv")
        try? FileManager.default.removeItem(atPath: folder.file("days/renewal-1.csv"))
        let name = "days/renewal-1.csv." + (program == "gzip" ? "gz" : "zst")
        #expect(try TraceOptions.parse([folder.file(name)]).all() == plain)
        #expect(try names(folder.file("days")).contains("renewal-1"))
        let bytes = try Files.read(folder.file(name))
        try Data(bytes.dropLast(bytes.count / 2)).write(to: URL(fileURLWithPath: folder.file(name)))
        let error = #expect(throws: UsageError.self) { try names(folder.file(name)) }
        #expect(error?.description.hasSuffix("\(program) cannot decompress it") == true)
    }

    @Test("Archives of every format of tar are read", arguments: ["ustar", "pax", "gnu", "v7"], [false, true])
    func archives(_ format: String, isCompressed: Bool) async throws {
        try writeTraces()
        let long = String(repeating: "long-", count: format == "ustar" ? 14 : 30)
        if format != "v7" {
            try FileManager.default.moveItem(
                atPath: folder.file("days/renewal-2.csv"), toPath: folder.file("days/\(long).csv"))
        }
        let archive = isCompressed ? "days.tar.gz" : "days.tar"
        try await run("tar", "--format", format, isCompressed ? "-czf" : "-cf", archive, "--sort=name", "days")
        let expected = format == "v7" ? Self.all : [long] + Self.all.dropLast()
        #expect(try names(folder.file(archive)) == expected)
        let direct = try TraceOptions.parse([folder.file("days/renewal-1.csv")]).all()
        #expect(try TraceOptions.parse([folder.file(archive)]).all().contains(direct[0]))
    }

    @Test("A file that is no archive, and an archive that is cut off, are rejected")
    func damagedArchives() async throws {
        try writeTraces()
        try await run("tar", "-cf", "days.tar", "days")
        let bytes = try Files.read(folder.file("days.tar"))
        for (name, content) in [
            ("text.tar", Array(repeating: UInt8(ascii: "x"), count: 2048)), ("cut.tar", Array(bytes.prefix(1700))),
            ("short.tar", Array(bytes.prefix(700))), ("record.tar", Self.paxHeader("0001 path=x\n")),
        ] {
            try Data(content).write(to: URL(fileURLWithPath: folder.file(name)))
            #expect(throws: UsageError.self, "\(name)") { try names(folder.file(name)) }
        }
    }

    /// Returns an archive that ends after a pax header with a record.
    private static func paxHeader(_ record: String) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 1024)
        func write(_ text: String, at position: Int) {
            header.replaceSubrange(position..<position + text.utf8.count, with: text.utf8)
        }
        write("00000000014", at: 124)
        write("        x", at: 148)
        let sum = header.reduce(0) { $0 + Int($1) }
        write("0" + String(sum, radix: 8), at: 148)
        write(record, at: 512)
        return header + Array(repeating: UInt8(ascii: "x"), count: 512)
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
        #expect(message("--traces-from", folder.file("blank")).contains("the list or the archive is empty"))
        try Files.createFolder(folder.file("empty"))
        #expect(message(folder.file("empty")).hasSuffix("has no .csv, .csv.gz, or .csv.zst file"))
        #expect(
            message(folder.file("days"), folder.file("days/renewal-1.csv")).hasPrefix(
                "two traces have the name renewal-1"))
        #expect(message("http://").hasPrefix("not a URL"))
        #expect(message("http://127.0.0.1:1/a.csv").hasPrefix("cannot fetch http://127.0.0.1:1/a.csv"))
        #expect(throws: (any Error).self) { try TraceOptions.parse(["a.csv", "--traces-from", "b"]) }
        #expect(throws: (any Error).self) {
            try TraceOptions.parse(["--population", "renewal:", "--traces-from", "b"])
        }
    }
}
