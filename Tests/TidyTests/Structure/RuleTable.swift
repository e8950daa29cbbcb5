// SPDX-License-Identifier: Apache-2.0

/// A check of the tables that map the rules of background sessions and of callers to their tests.
enum RuleTable {
    /// The ids of the rules of callers and of safety, in order.
    static let callerIDs = (1...15).filter { $0 != 14 }.map { "C\($0)" }
    /// The ids of the rules of background sessions, in order.
    static let sessionIDs: [String] = [("S", 11), ("T", 10), ("E", 8), ("L", 6), ("R", 7), ("A", 8)].flatMap {
        letter, last in
        (1...last).map { "\(letter)\($0)" }
    }

    /// Describes each rule of `ids` that `text` omits or repeats, and each test that does not exist in `files`, in a
    /// sentence.
    static func faults(in text: String, ids: [String] = sessionIDs, files: [SourceFile]) -> [String] {
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
                guard ids.contains(row.id) else { return ["\(row.id): no such rule"] }
                guard !row.tests.isEmpty else { return ["\(row.id): no test"] }
                return row.tests.compactMap { test in
                    if test.hasPrefix("SessionRule.") {
                        guard let id = cases[test] else { return "\(row.id): no case \(test)" }
                        return id == row.id ? nil : "\(row.id): \(test) is the case of \(id)"
                    }
                    return tests.contains(test) ? nil : "\(row.id): no test \(test)"
                }
            }
    }

    /// Finds the rows of the table: the text of the first column, and the quoted words of the second column.
    private static func rows(of text: String) -> [(id: String, tests: [String])] {
        text.matches(of: #/(?m)^\| *([A-Z][0-9]+) *\|(.*)\|$/#).map { row in
            (String(row.1), row.2.matches(of: #/`([^`]+)`/#).map { String($0.1) })
        }
    }

    /// Finds every test function, as `Suite.function`. A suite has the name of its file.
    private static func tests(in files: [SourceFile]) -> Set<String> {
        let suites = files.filter { $0.path.hasPrefix("Tests/") && $0.name.hasSuffix("Tests.swift") }
        return Set(
            suites.flatMap { file in
                file.code.split(separator: "@Test").dropFirst().compactMap { rest in
                    rest.firstMatch(of: #/\bfunc\s+(\w+)/#.onWords).map { "\(file.name.dropLast(6)).\($0.1)" }
                }
            })
    }

    /// Finds the cases of `SessionRule` and their rule ids.
    private static func cases(in files: [SourceFile]) -> [String: String] {
        let text =
            files.first { $0.path == "Sources/Testing/SessionHarnesses/Conformance/SessionRule.swift" }?.text ?? ""
        return Dictionary(
            text.matches(of: #/case (\w+) = "([A-Z][0-9]+): /#).map { ("SessionRule.\($0.1)", String($0.2)) },
            uniquingKeysWith: { first, _ in first })
    }
}
