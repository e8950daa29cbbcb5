// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Rules that find tests that never run, because they lack `@Test` or are outside of every test target.
enum RunningTests {
    /// Describes each function with an expectation that has neither `@Test` nor a caller, in a sentence.
    static func silentFunctions(in files: [SourceFile]) -> [String] {
        let tests = files.filter { $0.kind == "swift" && $0.path.hasPrefix("Tests/") }
        var mentions: [String: Int] = [:]
        for file in tests {
            for word in Pattern(#"\w+"#).matches(in: file.code) { mentions[word.groups[0], default: 0] += 1 }
        }
        let (expectation, function) = (Pattern(#"#(expect|require)\b|\bIssue\.record\b"#), Pattern(#"\bfunc (\w+)"#))
        // Formatted declarations are separated by empty lines.
        return tests.flatMap { file in
            file.text.components(separatedBy: "\n\n").flatMap { paragraph -> [String] in
                guard !paragraph.contains("@Test"), expectation.isIn(paragraph) else { return [] }
                return function.matches(in: paragraph).map { $0.groups[1] }.filter { mentions[$0] == 1 }.map {
                    "\(file.path): func \($0) has no @Test and no caller, so it never runs"
                }
            }
        }
    }

    /// Describes each folder without a target in Package.swift, in a sentence. Such a folder is never compiled.
    ///
    /// Folders with a Makefile, such as those of kernel modules, need no target.
    static func foldersWithoutTarget(in files: [SourceFile], manifest: String) -> [String] {
        let made = Set(files.filter { $0.name == "Makefile" }.map(\.folders))
        let sources = files.filter { ["swift", "c", "h"].contains($0.kind) && !made.contains($0.folders) }
        let folders = Set(
            sources.compactMap { file -> String? in
                let parts = file.folders
                if parts.first == "Sources" { return parts.prefix(3).joined(separator: "/") }
                guard parts.first == "Tests", parts.count > 1 else { return nil }
                // Fixtures have an additional level of folders. Tests of several layers are beside the folders of the
                // layers.
                let depth = parts[1] == "Fixtures" ? 4 : parts[1].hasSuffix("Tests") ? 2 : 3
                return parts.prefix(depth).joined(separator: "/")
            })
        return folders.sorted().filter { folder in
            let name = folder.split(separator: "/").last ?? ""
            let layer = folder.hasPrefix("Tests/") && !folder.hasPrefix("Tests/Fixtures/") ? "tests|testTarget" : "\\w+"
            guard let call = try? Regex("\\b(\(layer))\\(\\s*(name:\\s*)?\"([^\"]*/)?\(name)\"") else { return true }
            return !manifest.contains(call) && !manifest.contains("path: \"\(folder)\"")
        }.map { "\($0): no target in Package.swift contains it" }
    }

    /// Describes each target of Sources without a test target in the mirrored folder, in a sentence.
    static func targetsWithoutTests(in files: [SourceFile], besides exceptions: Set<String>) -> [String] {
        let tested = Set(
            files.filter { $0.path.hasPrefix("Tests/") }.map { $0.folders.prefix(3).joined(separator: "/") })
        let targets = Set(
            files.filter { $0.kind == "swift" && $0.folders.count > 2 && $0.folders[0] == "Sources" }
                .map { $0.folders.prefix(3).joined(separator: "/") })
        return targets.sorted().compactMap { target in
            let parts = target.split(separator: "/")
            let name = parts[2].prefix(1).uppercased() + parts[2].dropFirst()
            let mirror = "Tests/\(parts[1])/\(name)Tests"
            guard !tested.contains(mirror), !exceptions.contains(target) else { return nil }
            return "\(target): no tests in \(mirror)"
        }
    }
}
