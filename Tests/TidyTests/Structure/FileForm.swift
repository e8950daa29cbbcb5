// SPDX-License-Identifier: Apache-2.0

/// Rules for the form of every file, such as its license line and its length.
enum FileForm {
    /// The maximum number of lines of a source file.
    static let longest = 300

    // Each word is split, so that this file does not contain the words it looks for.
    private static let unfinished = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    private static let machinePaths = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/"]
    private static let licence = "SPDX-License-Identifier: Apache-2.0"

    /// Describes each file whose license line is missing or misplaced, in a sentence.
    static func withoutLicenceLine(in files: [SourceFile]) -> [String] {
        files.compactMap { file in
            let lines = file.text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            let first = lines.first ?? ""
            let second = lines.count > 1 ? lines[1] : ""
            let isRight =
                switch file.kind {
                case "swift" where first.hasPrefix("// swift-tools-version"): second == "// \(licence)"
                // A kernel module is also under the kernel's license.
                case "c" where file.path.hasPrefix("Tests/VirtualLaptop/"): first == "// \(licence) OR GPL-2.0-only"
                case "swift", "c", "h": first == "// \(licence)"
                case "sh", "py", "packages": first == "# \(licence)" || second == "# \(licence)"
                // Debian's tools read these files, which have their own form.
                case "" where ["control", "copyright", "postrm"].map({ ".ci/packaging/\($0)" }).contains(file.path):
                    true
                case "" where file.path.hasPrefix(".ci/"): first == "# \(licence)" || second == "# \(licence)"
                default: true
                }
            return isRight ? nil : "\(file.path): does not begin with the line \"\(licence)\""
        }
    }

    /// Describes each source file that is too long to have a single subject, in a sentence.
    static func tooLong(in files: [SourceFile]) -> [String] {
        files.filter { ["swift", "c", "h"].contains($0.kind) && $0.path != "Package.swift" }.compactMap { file in
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            return lines > longest ? "\(file.path): \(lines) lines; split the file by subject" : nil
        }
    }

    /// Describes each mark of unfinished work, in a sentence.
    static func unfinishedWork(in files: [SourceFile]) -> [String] {
        mentions(of: #"\b(\#(unfinished.joined(separator: "|")))\b"#, in: files, "unfinished work")
    }

    /// Describes each path of a particular machine, in a sentence.
    static func machinePaths(in files: [SourceFile]) -> [String] {
        mentions(of: machinePaths.joined(separator: "|"), in: files, "path of a particular machine")
    }

    private static func mentions(of pattern: String, in files: [SourceFile], _ fault: String) -> [String] {
        References.mentions(of: pattern, in: files).map { "\($0.place): \(fault)" }
    }
}
