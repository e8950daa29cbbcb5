// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab merge` command: combines the parts of a study.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Combine the parts of a study that 'shard' or 'devices' wrote.",
        discussion: """
            Parts are read one after another, so that memory does not depend on the number of devices. With --part, the \
            result is a part again, for a merge in several steps. Results of single devices are not in parts: 'devices' \
            writes them.
            """)

    @Argument(help: "Files of parts or folders with files *.part, in any order; - for standard input.")
    var parts: [String] = ["-"]

    @Option(
        help: "Write the combined part to a file instead of the table; - for standard output. Parts may be missing.")
    var part: String?

    @OptionGroup var output: TableOptions

    func validate() throws {
        guard part == nil || !output.hasOutput else {
            throw ValidationError(
                "--part cannot be combined with --json, --csv, or --sort; merge the part again for them")
        }
    }

    func run() throws {
        var merged: StudyPart?
        var progress = ProgressReport("parts", total: nil)
        defer { progress.finish() }
        for path in parts {
            for file in try Self.files(path) { try Self.read(file, into: &merged) { progress.advance() } }
        }
        progress.finish()
        guard let merged else { throw UsageError("no part is given: the input is empty") }
        if let part { return try Files.write(merged.line(), to: part) }
        try merged.checkCompleteness()
        let study = Study(merged.totals, policies: merged.header.policies, settings: merged.header.settings)
        try output.write(study)
    }

    private static func files(_ path: String) throws -> [String] {
        guard Files.isFolder(path) else { return [path] }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".part") }
        guard !names.isEmpty else { throw UsageError("the folder \(path) has no .part file") }
        return names.sorted().map { "\(path)/\($0)" }
    }

    private static func read(_ path: String, into merged: inout StudyPart?, advance: () -> Void) throws {
        let lines = try LineReader(path)
        var number = 0
        while let line = try lines.line() {
            number += 1
            guard !line.isEmpty else { continue }
            let source = number == 1 ? path : "\(path):\(number)"
            let part = try StudyPart(line, source: source)
            // The first part is merged with an empty one, so that the result does not depend on its number of values.
            if merged == nil {
                merged = StudyPart(header: part.header, devices: part.devices, totals: part.header.emptyTotals())
            }
            try merged?.merge(part, source: source)
            advance()
        }
    }
}
