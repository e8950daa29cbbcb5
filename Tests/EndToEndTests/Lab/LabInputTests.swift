// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of the inputs of `transferlab` that need a process of its own.
@Suite("Inputs of transferlab") struct LabInputTests {
    private static let samples = "\(GuideTests.top)/Tests/Core/PolicyLabTests/Samples"

    /// Runs a command line of the shell, in which `transferlab` is the built program. Returns its output.
    private static func output(_ line: String, in folder: TemporaryFolder) async throws -> String {
        let programs = builtFolder
        let output = "\(folder.path)/output"
        try? FileManager.default.removeItem(atPath: output)
        let process = try ChildProcess(
            "/bin/sh", ["-c", "PATH='\(programs)':$PATH; cd '\(samples)'; \(line)"], output: output,
            errors: "\(folder.path)/errors")
        #expect(try await process.wait(within: 120) == 0)
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    @Test("L1: A list on standard input gives the same results as arguments, and an empty one is an error")
    func list() async throws {
        let folder = try TemporaryFolder()
        let study = "--workload generated --policy default,strict --csv -"
        let listed = try await Self.output(
            "printf '%s\\n' renewal-2.csv renewal-0.csv | transferlab run --traces-from - \(study)", in: folder)
        #expect(try await Self.output("transferlab run renewal-2.csv renewal-0.csv \(study)", in: folder) == listed)
        #expect(listed.split(separator: "\n").count > 4)
        let empty = try await Self.output(
            "transferlab run --traces-from - \(study) </dev/null 2>&1 && exit 1; exit 0", in: folder)
        #expect(empty.contains("the list is empty"), "\(empty)")
    }

    @Test("L2: A trace on standard input gives the same results as its file")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let study = "--workload generated --policy default,strict,oracle"
        let piped = try await Self.output("cat renewal-1.csv | transferlab run - \(study) 2>/dev/null", in: folder)
        #expect(try await Self.output("transferlab run renewal-1.csv \(study) 2>/dev/null", in: folder) == piped)
        #expect(piped.split(separator: "\n").count > 3)
    }
}
