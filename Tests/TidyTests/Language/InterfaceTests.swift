// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Interfaces name what they mean")
struct InterfaceTests {
    @Test("modules that are imported together share no type name")
    func sharedNames() { #expect(SharedTypeNames.faults(in: SourceTree.files.filter { $0.kind == "swift" }) == []) }

    @Test("a shared type name is found if a file can see both")
    func sharedNameFound() {
        let first = SourceFile(path: "Sources/Core/A/T.swift", text: "public struct T {\n    struct Inner {}\n}\n")
        let second = SourceFile(path: "Sources/Core/B/T.swift", text: "final class T {\n    struct Inner {}\n}\n")
        let both = SourceFile(path: "Tests/CTests/C.swift", text: "import A\nimport B\n")
        #expect(SharedTypeNames.faults(in: [first, second]) == [])
        #expect(SharedTypeNames.faults(in: [first, second, both]).count == 1)
        let other = SourceFile(path: second.path, text: "import A\nprivate enum T {}\n")
        #expect(SharedTypeNames.faults(in: [first, other, both]) == [])
    }

    @Test("public numbers state their unit")
    func units() throws {
        let faults = try Quantities.withoutUnit(in: SourceTree.swift(in: "Sources"))
        #expect(faults == [])
    }

    @Test(
        "a public number without a unit is found",
        arguments: [
            "public var length: Int", "/// The time.\n    public let timeout: Double?",
            "public func wait(for limit: Int) {}", "public func size(\n        _ x: String\n    ) -> Int64 {",
            "/// Waits.\n    @discardableResult\n    public static func wait(_ long: Double) {}",
        ])
    func unitMissing(_ text: String) throws {
        #expect(try Quantities.withoutUnit(in: [SourceFile(path: "Sources/A.swift", text: "    " + text)]).count == 1)
    }

    @Test(
        "a unit in the name, in the comment, or in the comment of a property is enough",
        arguments: [
            "public var byteCount: Int", "/// The time, in seconds.\npublic let timeout: Double?", "var length: Int",
            "/// Bytes.\npublic var length: Int\n/// Creates a thing.\npublic init(length: Int) {}",
            "public var ranges: [Int]", "public func size(seconds: Int) -> String {}",
        ])
    func unitPresent(_ text: String) throws {
        #expect(try Quantities.withoutUnit(in: [SourceFile(path: "Sources/A.swift", text: text)]) == [])
    }
}
