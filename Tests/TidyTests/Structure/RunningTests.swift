// SPDX-License-Identifier: Apache-2.0

/// Rules that find tests that never run, because they lack `@Test` or are outside of every test target.
enum RunningTests {
    /// A function in a file of the tests.
    private struct Function {
        var name: String
        var isTest: Bool
        var body: String
        var isInSuite: Bool
    }

    /// Describes each function that nothing runs, although it has an expectation or is in a suite, in a sentence.
    static func silentFunctions(in files: [SourceFile]) -> [String] {
        let tests = files.filter { $0.kind == "swift" && $0.path.hasPrefix("Tests/") }
        let code = Dictionary(uniqueKeysWithValues: tests.map { ($0, $0.code) })
        let mentions = mentions(in: code.values)
        let expectation = Pattern(#"#(expect|require)\b|\bIssue\.record\b"#)
        return tests.flatMap { file -> [String] in
            guard ImportRules.imports(in: file.text).contains("Testing") else { return [] }
            return functions(in: code[file] ?? "").compactMap { function in
                let expects = expectation.isIn(function.body)
                guard !function.isTest, expects || function.isInSuite else { return nil }
                // The declaration is the first mention; a second mention is a call.
                guard mentions[function.name, default: 0] < 2 else { return nil }
                return "\(file.path): func \(function.name) has no @Test and no caller, so it never runs"
            }
        }
    }

    /// Describes each file next to the tests that neither contains tests nor is used by a test, in a sentence.
    static func strayFiles(in files: [SourceFile]) -> [String] {
        let tests = files.filter {
            $0.kind == "swift" && $0.path.hasPrefix("Tests/") && !$0.path.hasPrefix("Tests/Fixtures/")
        }
        let code = Dictionary(uniqueKeysWithValues: tests.map { ($0, $0.code) })
        let mentions = mentions(in: code.values)
        return tests.filter { !$0.name.hasSuffix("Tests.swift") }.compactMap { file in
            let mine = code[file] ?? ""
            if Pattern(#"@Test\b"#).isIn(mine) {
                return "\(file.path): contains tests, so its name must end with Tests.swift"
            }
            let own = Self.mentions(in: [mine])
            let names = Pattern(#"\b(?:struct|class|enum|actor|extension|protocol|func)\s+(\w+)"#).matches(in: mine)
            let isUsed = names.map { $0.groups[1] }.contains { mentions[$0, default: 0] > own[$0, default: 0] }
            return isUsed ? nil : "\(file.path): contains no test, and no test uses it"
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

    /// Counts each word in `texts`. Counting once is fast; searching all tests for each name takes minutes.
    private static func mentions(in texts: some Sequence<String>) -> [String: Int] {
        let word = Pattern(#"\w+"#)
        var counts: [String: Int] = [:]
        for text in texts {
            for match in word.matches(in: text) { counts[match.groups[0], default: 0] += 1 }
        }
        return counts
    }

    private static func functions(in code: String) -> [Function] {
        let bytes = Array(code.utf8)
        let starts = positions(of: #"\bfunc\s+(\w+)"#, in: code)
        // An attribute belongs to the declaration after it.
        let marked = Set(
            positions(of: #"(@Test)\b"#, in: code).compactMap { mark in
                starts.first { $0.position > mark.position }?.position
            })
        let types = positions(of: #"\b(?:struct|class|enum|actor|extension)\s+(\w+)"#, in: code).compactMap {
            SwiftText.braces(in: bytes, from: $0.position)
        }
        let suites = types.filter { type in
            marked.contains { mark in innermost(types, around: mark) == type }
        }
        return starts.map { start in
            let body = SwiftText.braces(in: bytes, from: start.position) ?? 0..<0
            let type = innermost(types, around: start.position)
            return Function(
                name: start.name, isTest: marked.contains(start.position),
                body: String(decoding: bytes[body], as: UTF8.self), isInSuite: type.map(suites.contains) ?? false)
        }
    }

    private static func innermost(_ ranges: [Range<Int>], around position: Int) -> Range<Int>? {
        ranges.filter { $0.contains(position) }.min { $0.count < $1.count }
    }

    /// The places of the matches in the code's bytes, and the names in the first group.
    private static func positions(of pattern: String, in code: String) -> [(position: Int, name: String)] {
        Pattern(pattern).matches(in: code).map { match in
            let index = code.utf16.index(code.startIndex, offsetBy: match.position)
            return (code.utf8.distance(from: code.startIndex, to: index), match.groups[1])
        }
    }
}
