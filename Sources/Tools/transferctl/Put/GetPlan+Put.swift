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
        responsePath = try command.responseFile.map { $0 == "-" ? nil : try PathName.absolute($0) } ?? nil
        let builder = try SpecificationBuilder(command: command, destination: nil, proxy: command.local.proxy, now: now)
        items = [try command.upload.item(uploading: command.file, to: command.url, of: command, by: builder)]
        if acceptsAnyCertificate { allowAnyCertificate() }
    }

    /// A sentence about the future of an interrupted run.
    var interruptionHint: String {
        items.contains { $0.specification.upload != nil }
            ? "run the same command again to continue; the upload resumes if the server supports it, or starts over"
            : "partial files are kept; run the same command again to continue"
    }

    /// Writes a server's response to the file of the options or to standard output.
    ///
    /// - Returns: A description of the error, or `nil` on success.
    func write(response answer: UploadResponse) -> String? {
        if let responsePath {
            do {
                // A device or a pipe must not be replaced by a file.
                var status = stat()
                let isSpecial = stat(responsePath, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
                try Data(answer.body).write(to: URL(fileURLWithPath: responsePath), options: isSpecial ? [] : .atomic)
            } catch {
                return "cannot write the server's response to \(responsePath): \(error.localizedDescription)"
            }
        } else if style != .json, !answer.body.isEmpty {
            Console.printBody(answer.body)
        }
        return nil
    }
}
