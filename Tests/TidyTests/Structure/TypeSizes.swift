// SPDX-License-Identifier: Apache-2.0

/// Limits for readable sizes: members of a type, and files of a folder.
enum TypeSizes {
    /// The maximum number of members of a type, across all of its extensions.
    static let mostMembers = 40
    /// The maximum number of source files side by side in a folder.
    static let mostFiles = 20

    private static let type = Pattern(#"^(?:@?[\w()]+ )*(?:struct|class|enum|actor|protocol|extension) ([\w.]+)"#)
    private static let member = Pattern(#"^    (?:@?[\w()]+ )*(?:var|let|func|init|subscript)\b"#)

    /// Describes each type that has too many members, in a sentence.
    static func tooLarge(in files: [SourceFile]) -> [String] {
        counts(in: files).filter { $0.value > mostMembers }.map { name, count in
            "\(name): \(count) members; move its second responsibility to a separate type"
        }.sorted()
    }

    /// Describes each folder that has too many source files, in a sentence.
    static func crowded(in files: [SourceFile]) -> [String] {
        let folders = files.filter { ["swift", "c", "h"].contains($0.kind) }.map { $0.folders.joined(separator: "/") }
        return Dictionary(grouping: folders) { $0 }.filter { $0.value.count > mostFiles }.map { folder, all in
            "\(folder): \(all.count) files; group them into folders by subject"
        }.sorted()
    }

    /// The number of properties, functions, initializers, and subscripts of each type at the top of a file. The code's
    /// indentation tells members from the members of nested types and from what is inside functions.
    static func counts(in files: [SourceFile]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for file in files {
            var owner: String?
            for line in file.code.split(separator: "\n").map(String.init) {
                if let found = type.matches(in: line).first { owner = found.groups[1] }
                if line.hasPrefix("}") { owner = nil }
                if let owner, member.isIn(line) { counts[owner, default: 0] += 1 }
            }
        }
        return counts
    }
}
