// SPDX-License-Identifier: Apache-2.0

/// What every file has, and what none has.
enum FileForm {
    /// The most lines of a file in Sources.
    static let longest = 400

    // In two parts, so that this file does not hold what it looks for.
    private static let unfinished = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    private static let machinePaths = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/"]
    private static let licence = "SPDX-License-Identifier: Apache-2.0"

    /// One sentence for each file that lacks its licence line where it belongs.
    static func withoutLicenceLine(in files: [SourceFile]) -> [String] {
        files.compactMap { file in
            let lines = file.text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            let first = lines.first ?? ""
            let second = lines.count > 1 ? lines[1] : ""
            let isRight =
                switch file.kind {
                case "swift" where first.hasPrefix("// swift-tools-version"): second == "// \(licence)"
                // A kernel module is under the kernel's licence as well.
                case "c" where file.path.hasPrefix("Tests/VirtualLaptop/"): first == "// \(licence) OR GPL-2.0-only"
                case "swift", "c", "h": first == "// \(licence)"
                case "sh", "py", "packages": first == "# \(licence)" || second == "# \(licence)"
                case "" where file.path.hasPrefix(".ci/"): first == "# \(licence)" || second == "# \(licence)"
                default: true
                }
            return isRight ? nil : "\(file.path): does not open with the line \"\(licence)\""
        }
    }

    /// One sentence for each file of Sources that is too long to be about one thing.
    static func tooLong(in files: [SourceFile]) -> [String] {
        files.filter { $0.path.hasPrefix("Sources/") }.compactMap { file in
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            return lines > longest ? "\(file.path): \(lines) lines; split it below 300" : nil
        }
    }

    /// One sentence for each mark of unfinished work.
    static func unfinishedWork(in files: [SourceFile]) -> [String] {
        lines(of: files) { line in
            unfinished.first { word in
                // To look for the letters alone is quick, and nearly all lines end there.
                guard line.contains(word) else { return false }
                guard let pattern = try? Regex("\\b\(word)\\b").onWords else { return true }
                return line.contains(pattern)
            }.map { "\($0): finish it" }
        }
    }

    /// One sentence for each path of somebody's own machine.
    static func machinePaths(in files: [SourceFile]) -> [String] {
        lines(of: files) { line in
            machinePaths.first { line.contains($0) }.map { "\($0): a path of one machine" }
        }
    }

    private static func lines(of files: [SourceFile], _ judge: (Substring) -> String?) -> [String] {
        files.flatMap { file in
            file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
                judge(line).map { "\(file.path):\(number + 1): \($0)" }
            }
        }
    }
}
