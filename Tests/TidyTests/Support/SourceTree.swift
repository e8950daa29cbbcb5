// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A file of the project.
struct SourceFile: Hashable, Sendable {
    /// The path from the top of the project, such as `Sources/Core/TransferPolicy/Reason.swift`.
    let path: String
    let text: String
    /// The text without comments and string literals, if the file is code.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = ["swift", "c", "h"].contains(path.split(separator: ".").last) ? SwiftText.code(of: text) : text
    }

    /// The name without folders.
    var name: String { String(path.split(separator: "/").last ?? "") }
    /// The names of the folders above the file, outermost first.
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }
    /// The name's extension, without the dot, or empty if there is none.
    var kind: String { name.contains(".") ? String(name.split(separator: ".").last ?? "") : "" }
}

/// The files of the project whose tests these are, found by the path of this file at compile time.
enum SourceTree {
    /// The top folder of the project.
    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every text file at the top level and in the project's own folders.
    static let files: [SourceFile] = {
        let manager = FileManager.default
        var paths = [
            "Package.swift", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", ".editorconfig",
            ".gitignore", ".spi.yml", ".swift-format",
        ]
        for folder in ["Sources", "Plugins", "Tests", "Benchmarks", ".ci"] {
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

    /// Returns the Swift files below `folder`.
    static func swift(in folder: String) -> [SourceFile] {
        files.filter { $0.kind == "swift" && $0.path.hasPrefix(folder + "/") }
    }
}
