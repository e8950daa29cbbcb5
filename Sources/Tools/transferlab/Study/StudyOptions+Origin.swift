// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

extension StudyOptions {
    /// The maximum number of traces that a page lists by name.
    private static let maximumListed = 200

    /// Returns the program, the input files, and a command line that repeats the study. Options that do not affect the
    /// results are left out, so that equal studies have equal pages.
    ///
    /// - Parameters:
    ///   - command: The name of the command.
    ///   - arguments: The command's own arguments.
    func origin(_ command: String, _ arguments: [String], _ coverage: CoverageOptions) throws -> PageOrigin {
        var words = ["transferlab", command] + traces.words + ["--workload", Self.quoted(workload)]
        words += arguments.map(Self.quoted)
        let standard = try StudyOptions.parse(["-", "--workload", "-"])
        if wifiRate != standard.wifiRate { words += ["--wifi-rate", "\(wifiRate)"] }
        if cellRate != standard.cellRate { words += ["--cell-rate", "\(cellRate)"] }
        if costs != standard.costs { words += ["--costs", costs] }
        if penalty != standard.penalty { words += ["--penalty", "\(penalty)"] }
        if concurrency != standard.concurrency { words += ["--concurrency", "\(concurrency)"] }
        if daemon { words.append("--daemon") }
        if lateLast { words.append("--late-last") }
        if let curve = price.priceCurve {
            words += ["--price-curve", Self.quoted(curve), "--price-weight", "\(price.priceWeight)"]
        }
        if let minimum = coverage.minimum { words += ["--min-known", minimum.text] }
        words += ["--seed", "\(seed)"]
        let program = "transferlab \(TransferLab.version)"
        return PageOrigin(program: program, command: words.joined(separator: " "), inputs: try inputs())
    }

    private func inputs() throws -> [PageOrigin.Input] {
        let jobs =
            workload == "generated"
            ? PageOrigin.Input(name: "random jobs, seeds from \(WorkloadGenerator.firstSeed)", checksum: nil)
            : PageOrigin.Input(name: workload, checksum: StudyPart.digest(try Files.read(workload)))
        let paths = traces.traces.map { path in
            (path, path == "-" ? nil : (try? Files.read(path)).map { StudyPart.digest($0) })
        }
        let prices = try price.priceCurve.map {
            [PageOrigin.Input(name: $0, checksum: StudyPart.digest(try Files.read($0)))]
        }
        guard paths.count <= Self.maximumListed else {
            let all = paths.compactMap(\.1).flatMap { checksum in
                (0..<8).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
            }
            return [jobs] + (prices ?? []) + [.init(name: "\(paths.count) traces", checksum: StudyPart.digest(all))]
        }
        return [jobs] + (prices ?? []) + paths.map { PageOrigin.Input(name: $0, checksum: $1) }
    }

    /// Returns a word as a shell reads it.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || "-_./,:=+@%".utf8.contains(byte)
        }
        return plain && !word.isEmpty
            ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
