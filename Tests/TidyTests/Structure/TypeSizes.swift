// SPDX-License-Identifier: Apache-2.0

/// Limits for readable sizes: members of a type, and files of a folder.
enum TypeSizes {
    /// The maximum number of members of a type, across all of its extensions.
    static let mostMembers = 40
    /// The maximum number of source files side by side in a folder.
    static let mostFiles = 20

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

    /// The number of properties, functions, initializers, and subscripts of each type, by its name with the names of
    /// the types around it. Members of nested types do not count.
    static func counts(in files: [SourceFile]) -> [String: Int] {
        let members = files.flatMap { Declaration.all(in: $0.code) }.filter { $0.kind == .member && !$0.owner.isEmpty }
        return Dictionary(grouping: members, by: \.owner).mapValues(\.count)
    }
}
