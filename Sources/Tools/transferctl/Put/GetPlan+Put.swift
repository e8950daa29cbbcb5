// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferEngine
import TransferPolicy
import URLSessionExecutor

/// The side of uploads.
extension GetPlan {
    /// Checks a command line that uploads.
    ///
    /// - Throws: `UsageError` that names the option, what was wrong and what would be right.
    init(command: PutCommand, now: WallTime) throws {
        try self.init(sharedBy: command)
        guard command.file != "-" else {
            throw UsageError("standard input cannot be uploaded: its length is not known; give a file")
        }
        guard command.timing.expectBytes == nil else {
            throw UsageError("--expect-bytes belongs to 'transferctl get'; the file's size is known")
        }
        guard command.request.connections == nil else {
            throw UsageError(
                "--connections belongs to 'transferctl get': an upload goes over one connection; leave it out")
        }
        if let type = command.contentType, type.isEmpty || type.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
            throw UsageError("--content-type must be a media type as in text/plain")
        }
        let source: UploadSource
        do throws(TransferFailure) {
            source = try UploadSource(
                fileAt: try Self.absolutePath(command.file), method: command.method.method,
                contentType: command.contentType,
                resumption: command.noResume ? .never : .automatic)
        } catch {
            throw UsageError(error.message)
        }
        answerPath = try command.answerFile.map { $0 == "-" ? nil : try Self.absolute($0) } ?? nil
        let builder = try SpecificationBuilder(command: command, destination: nil, now: now)
        items = [try builder.item(uploading: source, to: Self.target(command, source))]
    }

    private static func absolutePath(_ path: String) throws(TransferFailure) -> String {
        do { return try absolute(path) } catch {
            throw TransferFailure(cause: .sourceChanged, message: "\(error)")
        }
    }

    /// The URL; one that names a folder gets the file's name, as with curl. A POST goes to the very URL: to a folder is how
    /// things are added to it.
    static func target(_ command: PutCommand, _ source: UploadSource) -> String {
        guard command.method == .put, var url = URLComponents(string: command.url), url.host != nil,
            url.path.isEmpty || url.path.hasSuffix("/")
        else { return command.url }
        let name = source.path.split(separator: "/").last.map(String.init) ?? ""
        // What would be a separator in the path must not be one.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;?"))
        let escaped = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
        url.percentEncodedPath = (url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath) + escaped
        return url.string ?? command.url
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
                try Data(answer.body).write(to: URL(fileURLWithPath: answerPath), options: .atomic)
            } catch {
                return "the server's answer cannot be written to \(answerPath): \(error.localizedDescription)"
            }
        } else if style != .json, !answer.body.isEmpty {
            Console.printBody(answer.body)
        }
        return nil
    }
}

extension TransferCompletion {
    /// Whether it is not what was asked for: a 4xx or 5xx answer, or another that brought no file; of an upload any but 2xx
    /// and 303, which leads to a page about what was taken.
    var isFailure: Bool {
        if answer != nil { return !(200..<300).contains(status) && status != 303 }
        return file == nil || status >= 400
    }
}
