// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// The parts of a plan that only uploads need.
extension GetPlan {
    /// Validates a command line that uploads.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    init(command: PutCommand, now: WallTime) throws {
        try self.init(sharedBy: command)
        try command.upload.check(command)
        answerPath = try command.answerFile.map { $0 == "-" ? nil : try PathName.absolute($0) } ?? nil
        let builder = try SpecificationBuilder(command: command, destination: nil, now: now)
        let source = try command.upload.source()
        items = [try builder.item(uploading: source, to: command.upload.target(for: source))]
    }

    /// A sentence about the future of an interrupted run.
    var outlook: String {
        items.contains { $0.specification.upload != nil }
            ? "the same command goes on where the server offers that, else it starts over"
            : "partial files are kept, the same command continues them"
    }

    /// Writes a server's response to the file of the options or to standard output.
    ///
    /// - Returns: A description of the error, or `nil` on success.
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
