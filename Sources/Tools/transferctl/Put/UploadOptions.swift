// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import HTTPSyntax
import ToolSupport
import TransferBusProtocol
import TransferFiles
import TransferModel

/// The options of an upload, for `put` and `add --upload`.
struct UploadOptions: ParsableArguments {
    @Option(help: .init("The HTTP method: PUT (the default) or POST.", valueName: "method"))
    var method: MethodChoice?

    @Option(help: .init("The value of the Content-Type field (default: none).", valueName: "type"))
    var contentType: String?

    @Flag(help: "Send a single plain request that cannot be resumed.")
    var noResume = false

    /// The values of `--method`, in any case.
    enum MethodChoice: String, ExpressibleByArgument, CaseIterable {
        case put = "PUT"
        case post = "POST"

        init?(argument: String) { self.init(rawValue: argument.uppercased()) }
    }

    /// A Boolean value that indicates whether no option is set.
    var isEmpty: Bool { method == nil && contentType == nil && !noResume }

    /// Returns the upload of a file in its current state.
    ///
    /// - Throws: `UsageError` that names the option or the file, the error and its remedy.
    func item(
        uploading file: String, to url: String, of command: some TransferOptions, by builder: SpecificationBuilder
    ) throws -> GetPlan.Item {
        try check(file, command)
        let path = try PathName.absolute(file)
        let source: UploadSource
        do throws(TransferFailure) {
            source = try UploadSource(
                fileAt: path, method: method == .post ? .post : .put, contentType: contentType,
                resumption: noResume ? .never : .automatic)
        } catch {
            throw UsageError(error.message)
        }
        return try builder.item(uploading: source, to: target(url, for: source))
    }

    private func check(_ file: String, _ options: some TransferOptions) throws {
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

    /// Returns the URL to send to. A URL that names a folder is extended by the name of the file, as in curl.
    ///
    /// A POST uses the URL unchanged, because posting to a folder is the way to add to it.
    private func target(_ url: String, for source: UploadSource) -> String {
        var target = URLReference(url)
        guard method != .post, target.authority != nil, target.path.isEmpty || target.path.hasSuffix("/") else {
            return url
        }
        let name = source.path.split(separator: "/").last.map(String.init) ?? ""
        // Characters that would be separators in the path are escaped.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/;?"))
        let escaped = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
        target.path = (target.path.isEmpty ? "/" : target.path) + escaped
        return target.text
    }
}
