// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// The side of uploads.
extension GetPlan {
    /// Checks a command line that uploads.
    ///
    /// - Throws: `UsageError` that names the option, what was wrong and what would be right.
    init(command: PutCommand, now: WallTime) throws {
        try self.init(sharedBy: command)
        try command.upload.check(command)
        answerPath = try command.answerFile.map { $0 == "-" ? nil : try PathName.absolute($0) } ?? nil
        let builder = try SpecificationBuilder(command: command, destination: nil, now: now)
        let source = try command.upload.source()
        items = [try builder.item(uploading: source, to: command.upload.target(for: source))]
    }

    /// What becomes of an interrupted run, in words.
    var outlook: String {
        items.contains { $0.specification.upload != nil }
            ? "the same command goes on where the server offers that, else it starts over"
            : "partial files are kept, the same command continues them"
    }

    /// Gives a server's answer to who wants it.
    ///
    /// - Returns: what went wrong with that.
    func hand(over answer: ServerAnswer) -> String? {
        if let answerPath {
            do {
                // A device or a pipe must not be replaced by a file.
                var status = stat()
                let isSpecial = stat(answerPath, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
                try Data(answer.body).write(to: URL(fileURLWithPath: answerPath), options: isSpecial ? [] : .atomic)
            } catch {
                return "the server's answer cannot be written to \(answerPath): \(error.localizedDescription)"
            }
        } else if style != .json, !answer.body.isEmpty {
            Console.printBody(answer.body)
        }
        return nil
    }
}
