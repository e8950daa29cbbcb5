// SPDX-License-Identifier: Apache-2.0

/// The table of the rules of background sessions and the tests that hold them, held to what there is.
enum RuleTable {
    /// The rules, as their numbers run.
    static let ids: [String] = [("S", 11), ("T", 8), ("E", 8), ("L", 5), ("R", 6)].flatMap { letter, last in
        (1...last).map { "\(letter)\($0)" }
    }

    /// One sentence for each rule that `text` leaves out or names twice, and for each test that does not exist in `files`.
    static func faults(in text: String, files: [SourceFile]) -> [String] {
        let rows = rows(of: text)
        let missing = ids.compactMap { id -> String? in
            switch rows.count(where: { $0.id == id }) {
            case 0: "\(id): no row"
            case 1: nil
            case let count: "\(id): \(count) rows"
            }
        }
        let tests = tests(in: files)
        let cases = cases(in: files)
        return missing
            + rows.flatMap { row -> [String] in
                guard ids.contains(row.id) else { return ["\(row.id): there is no such rule"] }
                guard !row.tests.isEmpty else { return ["\(row.id): no test"] }
                return row.tests.compactMap { test in
                    if test.hasPrefix("SessionRule.") {
                        guard let id = cases[test] else { return "\(row.id): there is no \(test)" }
                        return id == row.id ? nil : "\(row.id): \(test) is the case of \(id)"
                    }
                    return tests.contains(test) ? nil : "\(row.id): there is no test \(test)"
                }
            }
    }

    /// The table's rows: what stands in the first column, and the words in quotes of the second.
    private static func rows(of text: String) -> [(id: String, tests: [String])] {
        text.matches(of: #/(?m)^\| *([A-Z][0-9]+) *\|(.*)\|$/#).map { row in
            (String(row.1), row.2.matches(of: #/`([^`]+)`/#).map { String($0.1) })
        }
    }

    /// Every test function as `Suite.function`; a suite has its file's name.
    private static func tests(in files: [SourceFile]) -> Set<String> {
        let suites = files.filter { $0.path.hasPrefix("Tests/") && $0.name.hasSuffix("Tests.swift") }
        return Set(
            suites.flatMap { file in
                file.code.split(separator: "@Test").dropFirst().compactMap { rest in
                    rest.firstMatch(of: #/\bfunc\s+(\w+)/#.onWords).map { "\(file.name.dropLast(6)).\($0.1)" }
                }
            })
    }

    /// The cases of `SessionRule`, and by what the rules call them.
    private static func cases(in files: [SourceFile]) -> [String: String] {
        let text = files.first { $0.path == "Sources/Testing/TransferTesting/Sessions/SessionRule.swift" }?.text ?? ""
        return Dictionary(
            text.matches(of: #/case (\w+) = "([A-Z][0-9]+): /#).map { ("SessionRule.\($0.1)", String($0.2)) },
            uniquingKeysWith: { first, _ in first })
    }
}
