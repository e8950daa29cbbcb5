// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport
import TransferBusProtocol
import TransferFiles
import TransferModel

/// The file, the URL and the method of an upload, for `put` and `add-upload`.
struct UploadArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The file to upload.", valueName: "file"), completion: .file())
    var file: String

    @Argument(help: ArgumentHelp("The http or https URL to upload to.", valueName: "url"))
    var url: String

    @Option(help: .init("The HTTP method: PUT or POST.", valueName: "method"))
    var method: MethodChoice = .put

    @Option(help: .init("The value of the Content-Type field (default: none).", valueName: "type"))
    var contentType: String?

    @Flag(help: "Send a single plain request that cannot be resumed.")
    var noResume = false

    /// The values of `--method`, in any case.
    enum MethodChoice: String, ExpressibleByArgument, CaseIterable {
        case put = "PUT"
        case post = "POST"

        init?(argument: String) { self.init(rawValue: argument.uppercased()) }

        var method: UploadSource.Method { self == .put ? .put : .post }
    }

    /// Rejects options that make no sense for an upload.
    ///
    /// - Throws: `UsageError` that names the option, the error and its remedy.
    func check(_ options: some TransferOptions) throws {
        guard file != "-" else {
            throw UsageError("cannot upload standard input, because its size is unknown; use a file")
        }
        guard options.timing.expectBytes == nil else {
            throw UsageError(
                "--expect-bytes applies to downloads only, because the size of the file is known; leave it out")
        }
        guard options.request.connections == nil else {
            throw UsageError(
                "--connections applies to downloads only, because an upload uses one connection; leave it out")
        }
        if let type = contentType, type.isEmpty || type.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
            throw UsageError("--content-type '\(type)' must be a media type, such as text/plain")
        }
    }

    /// Returns the file in its current state.
    ///
    /// - Throws: `UsageError` that says what is wrong with the file.
    func source() throws -> UploadSource {
        let path = try PathName.absolute(file)
        do throws(TransferFailure) {
            return try UploadSource(
                fileAt: path, method: method.method, contentType: contentType,
                resumption: noResume ? .never : .automatic)
        } catch {
            throw UsageError(error.message)
        }
    }

    /// Returns the URL to send to. A URL that names a folder is extended by the name of the file, as in curl.
    ///
    /// A POST uses the URL unchanged, because posting to a folder is the way to add to it.
    func target(for source: UploadSource) -> String {
        guard method == .put, var target = URLComponents(string: url), target.host != nil,
            target.path.isEmpty || target.path.hasSuffix("/")
        else { return url }
        let name = source.path.split(separator: "/").last.map(String.init) ?? ""
        // Characters that would be separators in the path are escaped.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;?"))
        let escaped = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
        target.percentEncodedPath = (target.percentEncodedPath.isEmpty ? "/" : target.percentEncodedPath) + escaped
        return target.string ?? url
    }
}
