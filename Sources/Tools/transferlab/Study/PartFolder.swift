// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder with the finished parts of a study. An interrupted part leaves no file with a part's name.
struct PartFolder {
    private let folder: String

    init(_ folder: String) { self.folder = folder }

    /// Returns the path of a part's file.
    func path(_ choice: ShardChoice) -> String { "\(folder)/\(choice.fileName)" }

    /// Returns a finished part; `nil` if it has not finished.
    ///
    /// - Throws: A ``UsageError`` if the file is a part of another study, or is damaged.
    func finished(_ choice: ShardChoice, of header: StudyPart.Header) throws -> StudyPart? {
        guard FileManager.default.fileExists(atPath: path(choice)) else { return nil }
        let part = try StudyPart(Files.read(path(choice)), source: path(choice))
        guard part.header == header, part.parts == [choice.number] else {
            throw UsageError(
                "\(path(choice)) is a part of another study: its inputs or options differ; use another folder")
        }
        return part
    }

    /// Writes a part, which replaces a former one.
    func write(_ part: StudyPart, _ choice: ShardChoice) throws {
        try Files.createFolder(folder)
        try Files.write(part.line(), to: path(choice))
    }
}
