// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A file of the project as the guards see it.
struct SourceFile: Hashable, Sendable {
    /// Its path from the top of the project, as `Sources/Core/TransferPolicy/Reason.swift`.
    var path: String
    /// All of it.
    var text: String

    /// Its name without folders.
    var name: String { String(path.split(separator: "/").last ?? "") }
    /// The folders above it, outermost first.
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }
    /// What comes after the last dot of its name.
    var kind: String { name.contains(".") ? String(name.split(separator: ".").last ?? "") : "" }
    /// The text with comments and string literals blanked out; line numbers stay.
    var code: String { SwiftText.code(of: text) }
}

/// The project's files, read from where these tests were compiled.
enum SourceTree {
    /// The top of the project.
    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every text file of the project's own folders and top level.
    static let files: [SourceFile] = {
        let manager = FileManager.default
        var paths = ["Package.swift", "README.md", "CHANGELOG.md", "LICENSE", ".gitignore", ".swift-format"]
        for folder in ["Sources", "Tests", "Benchmarks", ".ci"] {
            let inside = manager.enumerator(atPath: top.appendingPathComponent(folder).path)
            while let path = inside?.nextObject() as? String { paths.append("\(folder)/\(path)") }
        }
        return paths.sorted().compactMap { path in
            let isBuilt = path.split(separator: "/").contains { $0.hasPrefix(".build") }
            guard !isBuilt, let data = manager.contents(atPath: top.appendingPathComponent(path).path) else {
                return nil
            }
            return String(data: data, encoding: .utf8).map { SourceFile(path: path, text: $0) }
        }
    }()

    /// The Swift files below `folder`.
    static func swift(in folder: String) -> [SourceFile] {
        files.filter { $0.kind == "swift" && $0.path.hasPrefix(folder + "/") }
    }
}
