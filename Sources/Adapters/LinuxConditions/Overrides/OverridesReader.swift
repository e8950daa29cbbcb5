// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Watches a file of overrides, including its creation and removal.
final class OverridesReader {
    private let watch: FileWatch

    /// Starts watching; `nil` if the kernel does not allow it.
    ///
    /// - Parameters:
    ///   - file: The file to watch.
    ///   - executor: The executor on whose thread changes are reported.
    ///   - deliver: Receives the file's content after each change.
    init?(
        file: OverridesFile, on executor: GLibExecutor,
        deliver: @escaping (OverridesContent) -> Void
    ) {
        guard let watch = FileWatch(path: file.path, on: executor, onChange: { deliver(Self.read(file)) }) else {
            return nil
        }
        self.watch = watch
    }

    /// Returns the current content of the file.
    static func read(_ file: OverridesFile) -> OverridesContent {
        do {
            return OverridesContent(path: file.path, text: try file.text())
        } catch {
            return OverridesContent(path: file.path, problem: error.problem)
        }
    }
}

/// The content of a file of overrides, before parsing.
struct OverridesContent: Hashable, Sendable, Codable {
    var path: String
    /// The text of the file; empty if the file does not exist.
    var text = ""
    /// The reason for a failed read; `nil` if the read succeeded.
    var problem: String?

    /// Parses the content.
    ///
    /// - Throws: `OverridesFileError` if the file could not be read, or if its text is invalid.
    func overrides() throws(OverridesFileError) -> ConnectionOverrides {
        if let problem { throw OverridesFileError(path: path, problem: problem) }
        return try OverridesFile(path: path).parse(text)
    }
}
