// SPDX-License-Identifier: Apache-2.0

/// Names of types that two modules share, although a file can import both modules.
enum SharedTypeNames {
    /// Describes each name that two modules give to a type at the top of a file, in a sentence.
    ///
    /// Modules that are never imported together, such as two programs, can share a name. Private types can, too.
    static func faults(in files: [SourceFile]) -> [String] {
        var modules: [String: Set<String>] = [:]
        var together: Set<Set<String>> = []
        for file in files {
            let folders = file.folders
            let module = folders.count > 2 ? folders[2] : folders.last ?? ""
            let visible = ImportRules.imports(in: file.text) + [module]
            for (index, first) in visible.enumerated() {
                for second in visible[(index + 1)...] where second != first { together.insert([first, second]) }
            }
            guard folders.first == "Sources" else { continue }
            for declaration in Declaration.all(in: file.code)
            where declaration.kind == .type && declaration.owner.isEmpty && !declaration.isPrivate {
                modules[declaration.name, default: []].insert(module)
            }
        }
        return modules.flatMap { name, owners -> [String] in
            let owners = owners.sorted()
            return owners.indices.flatMap { first in
                owners[(first + 1)...].compactMap { second in
                    guard together.contains([owners[first], second]) else { return nil }
                    return "\(name): a type of \(owners[first]) and of \(second); rename one of them"
                }
            }
        }.sorted()
    }
}
