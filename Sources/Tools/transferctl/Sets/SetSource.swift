// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import ToolSupport
import TransferFiles
import TransferModel

/// The place of a set's list.
enum SetSource: Hashable, Sendable {
    /// A Metalink document or a list of checksums on a server.
    case url(String)
    /// A Metalink document or a list of checksums on this machine. The folder is the URL of the files of a list.
    case file(String, folder: String?)
    /// A repository of Hugging Face.
    case hub(HubReference)

    /// Parses the value of `--set`.
    ///
    /// - Parameter urls: The URLs of the command line. Only a list in a file has one.
    /// - Throws: `UsageError` with a remedy.
    init(_ text: String, urls: [String], environment: [String: String]) throws {
        let isFile = !text.hasPrefix("hf:") && !text.contains("://")
        guard urls.count <= (isFile ? 1 : 0) else {
            throw UsageError(
                "--set and the URL '\(RedactedURL.text(of: urls[0]))' are mutually exclusive; use one of them")
        }
        if text.hasPrefix("hf:") {
            self = .hub(try HubReference(text, environment: environment))
        } else if isFile {
            self = .file(text, folder: urls.first)
        } else {
            self = .url(try TransferTarget(text, proxies: ProxyRule(explicit: nil)).url)
        }
    }

    /// The name of the set's folder, unless the user chooses another.
    var folderName: String {
        switch self {
        case .hub(let reference):
            return ServerFileName.name(disposition: nil, url: "http://h/" + reference.repository)
        case .url(let text): return Self.name(ofList: URLReference(text).lastComponent, in: text)
        case .file(let path, let folder):
            return Self.name(ofList: URL(fileURLWithPath: path).lastPathComponent, in: folder ?? "")
        }
    }

    /// Returns the name of a Metalink document without its ending, or the last folder of a URL.
    private static func name(ofList list: String, in url: String) -> String {
        for ending in [".meta4", ".metalink"] where list.hasSuffix(ending) && list.count > ending.count {
            return ServerFileName.name(disposition: nil, url: "http://h/" + list.dropLast(ending.count))
        }
        let folders = URLReference(url).path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        guard let last = folders.last, !last.isEmpty else { return "files" }
        return ServerFileName.name(disposition: nil, url: "http://h/" + last)
    }

    /// The server that may receive the header fields and the login of the command line, or `nil` for none.
    var origin: String? {
        switch self {
        case .url(let text): URLReference(text).origin
        case .file(_, let folder): folder.map { URLReference($0).origin }
        case .hub(let reference): URLReference(reference.endpoint).origin
        }
    }

    /// The name of the list, for error messages.
    var name: String {
        switch self {
        case .url(let url): RedactedURL.text(of: url)
        case .file(let path, _): path
        case .hub(let reference): reference.text
        }
    }

    /// Creates the set of a list's text.
    ///
    /// - Parameter allowsLocal: Whether a list of a public server may name servers of this machine or its network.
    /// - Throws: `UsageError` that names the list and its fault.
    func fileSet(of text: String, name: String, allowsLocal: Bool = false) throws -> FileSet {
        let set = try fileSet(parsing: text, name: name)
        guard case .url(let url) = self, !allowsLocal, !LocalHost.contains(URLReference(url).host) else { return set }
        for file in set.files {
            guard let local = file.urls.map({ URLReference($0) }).first(where: { LocalHost.contains($0.host) }) else {
                continue
            }
            throw UsageError(
                "\(self.name): the file '\(file.path.printable)' is to come from \(local.hostAndPort.printable), which is on this "
                    + "machine or its network; if you trust the list, use --allow-local-redirects")
        }
        return set
    }

    private func fileSet(parsing text: String, name: String) throws -> FileSet {
        let base: String? =
            switch self {
            case .url(let url): URLReference("./").resolved(against: URLReference(url)).text
            case .file(_, let folder): folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
            case .hub: nil
            }
        if text.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).first == "<" {
            return try FileSet(metalink: text, name: name, from: self.name)
        }
        guard let base else {
            throw UsageError("\(self.name) names no servers; also give the URL of the folder with the files")
        }
        return try FileSet(checksums: text, name: name, folder: base, from: self.name)
    }
}

extension FileSet {
    /// Creates a set from a list such as `SHA256SUMS`, whose files are beside it on the server.
    ///
    /// - Parameter folder: The URL of the folder, with a slash at its end.
    /// - Throws: `UsageError` that names the list and its fault.
    init(checksums text: String, name: String, folder: String, from source: String) throws {
        let list = try ChecksumList(text, name: source)
        let files = list.entries.map { entry in
            let path = entry.name.hasPrefix("./") ? String(entry.name.dropFirst(2)) : entry.name
            let url = folder + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
            return File(path: path, urls: [url], size: nil, checksum: entry.checksum)
        }
        try self.init(name: name, files: files, from: source)
    }
}
