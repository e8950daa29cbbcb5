// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Sizes of types and folders")
struct TypeSizesTests {
    @Test("this project follows the rule, and the check counts the members of extensions")
    func tree() {
        let counts = TypeSizes.counts(in: SourceTree.swift(in: "Sources"))
        #expect(counts.count > 500)
        #expect(TypeSizes.tooLarge(in: SourceTree.swift(in: "Sources")) == [])
        #expect(TypeSizes.crowded(in: SourceTree.files) == [])
        let members = (0...TypeSizes.mostMembers).map { "    private(set) var v\($0) = 0\n" }.joined()
        let file = SourceFile(path: "Sources/A.swift", text: "struct A {\n}\n\nextension A: B {\n\(members)}\n")
        #expect(TypeSizes.tooLarge(in: [file]).count == 1)
    }
}
