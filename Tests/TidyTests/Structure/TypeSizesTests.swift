// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Sizes of types and folders")
struct TypeSizesTests {
    @Test("this project follows the rule")
    func tree() {
        let counts = TypeSizes.counts(in: SourceTree.swift(in: "Sources"))
        #expect(counts.count > 500)
        #expect(TypeSizes.tooLarge(in: SourceTree.swift(in: "Sources")) == [])
        #expect(TypeSizes.crowded(in: SourceTree.files) == [])
    }

    @Test("members of extensions count; members of nested types and local declarations do not")
    func members() {
        let text = """
            @available(*, unavailable) public struct A {
                private(set) var a = 1, b = 2
                let text = "func not() {"
                static func make() -> A {
                    let local = A()
                    return local
                }
                enum Kind {
                    case x
                    var isX: Bool { true }
                }
                init?(_ x: Int) {}
                subscript(index: Int) -> Int { index }
            }
            final class B {
                class func one() {}
                class Inner {
                    var y = 0
                }
            }
            """
        let more =
            "extension A: Sendable, Hashable,\n    Codable\n{\n    @discardableResult nonisolated func z() {}\n}\n"
        let counts = TypeSizes.counts(in: [
            SourceFile(path: "Sources/A.swift", text: text), SourceFile(path: "Sources/B.swift", text: more),
        ])
        #expect(counts == ["A": 6, "A.Kind": 1, "B": 1, "B.Inner": 1])
    }

    @Test("a type with too many members and a folder with too many files are found")
    func found() {
        let members = (0...TypeSizes.mostMembers).map { "    var v\($0) = 0\n" }
        func file(_ members: some Sequence<String>) -> SourceFile {
            SourceFile(path: "Sources/A.swift", text: "struct A {\n\(members.joined())}\n")
        }
        #expect(TypeSizes.tooLarge(in: [file(members)]).count == 1)
        #expect(TypeSizes.tooLarge(in: [file(members.dropFirst())]) == [])
        let files = (0...TypeSizes.mostFiles).map { SourceFile(path: "Sources/A/\($0).swift", text: "") }
        #expect(TypeSizes.crowded(in: files).count == 1)
        #expect(TypeSizes.crowded(in: Array(files.dropFirst())) == [])
    }
}
