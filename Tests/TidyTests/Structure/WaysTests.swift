// SPDX-License-Identifier: Apache-2.0
import Testing

/// A check of the four ways through the code that `Sources/README.md` describes.
enum Ways {
    /// Describes each way with too many files and each file of a way that is missing, in a sentence.
    static func faults(in page: String, files: [SourceFile]) -> [String] {
        let names = Set(files.filter { $0.kind == "swift" }.map { String($0.name.dropLast(".swift".count)) })
        let ways = page.components(between: "## Four ways", and: "## Where").split(separator: "\n\n").filter {
            $0.hasPrefix("**")
        }
        guard ways.count == 4 else { return ["expected 4 ways, found \(ways.count)"] }
        return ways.flatMap { way in
            let title = way.prefix { $0 != "(" }
            let most = way.firstMatch(of: #/at most (\d+)/#).flatMap { Int($0.1) } ?? 0
            let text = way.drop { $0 != ")" }
            let mentioned = Set(text.matches(of: #/`([A-Za-z+]+)`/#).map { String($0.1) })
            let missing = mentioned.subtracting(names).sorted().map { "\(title): no file \($0).swift" }
            return missing + (mentioned.count > most ? ["\(title): \(mentioned.count) files, more than \(most)"] : [])
        }
    }
}

extension String {
    fileprivate func components(between start: String, and end: String) -> Substring {
        guard let first = ranges(of: start).first,
            let last = ranges(of: end).first(where: { $0.lowerBound > first.upperBound })
        else { return "" }
        return self[first.upperBound..<last.lowerBound]
    }
}

@Suite struct WaysTests {
    @Test("the files on the four ways exist and are within the stated limits")
    func ways() throws {
        let page = try #require(SourceTree.files.first { $0.path == "Sources/README.md" })
        #expect(Ways.faults(in: page.text, files: SourceTree.swift(in: "Sources")) == [])
    }
}
