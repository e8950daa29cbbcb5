// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import ToolSupport
import TransferFiles
import TransferModel

/// The place of a set's list.
enum SetSource: Hashable, Sendable {
    /// A Metalink document or a list of checksums on a server. The folders are the URLs of further servers of the files.
    case url(String, folders: [String])
    /// A Metalink document or a list of checksums on this machine. The folders are the URLs of the servers of the files.
    case file(String, folders: [String])
    /// A repository of Hugging Face.
    case hub(HubReference)

    /// Parses the value of `--set`.
    ///
    /// - Parameter urls: The URLs of the folders with the files, in the order in which they are tried.
    /// - Throws: `UsageError` with a remedy.
    init(_ text: String, urls: [String], environment: [String: String]) throws {
        let proxies = ProxyRule(explicit: nil)
        if text.hasPrefix("hf:") {
            guard urls.isEmpty else {
                throw UsageError(
                    "--set hf: and the URL '\(RedactedURL.text(of: urls[0]))' are mutually exclusive; use one of them")
            }
            self = .hub(try HubReference(text, environment: environment))
            return
        }
        guard urls.count <= MirrorList.maximumCount else {
            throw UsageError("--set accepts at most \(MirrorList.maximumCount) URLs of folders, not \(urls.count)")
        }
        let folders = try urls.map { url in
            let folder = try TransferTarget(url, proxies: proxies).url
            return folder.hasSuffix("/") ? folder : folder + "/"
        }
        self =
            text.contains("://")
            ? .url(try TransferTarget(text, proxies: proxies).url, folders: folders) : .file(text, folders: folders)
    }

    /// Returns the files of a list on this machine, which are downloaded one by one.
    ///
    /// - Throws: `UsageError` with a remedy.
    static func localFiles(_ path: String, urls: [String]) throws -> [InputList.Item] {
        let source = try SetSource(path, urls: urls, environment: [:])
        guard case .file = source else {
            throw UsageError(
                "--set '\(path)': the daemon needs a list on this machine; use 'transferctl get', or download it")
        }
        return try source.fileSet(of: TextFile.read(path, option: "set"), name: source.folderName).files.map {
            InputList.Item(url: $0.urls[0], mirrors: Array($0.urls.dropFirst()), output: $0.path, checksum: $0.checksum)
        }
    }

    /// The URLs of the folders that the command line names.
    private var folders: [String] {
        switch self {
        case .url(_, let folders), .file(_, let folders): folders
        case .hub: []
        }
    }

    /// The name of the set's folder, unless the user chooses another.
    var folderName: String {
        switch self {
        case .hub(let reference):
            return ServerFileName.name(disposition: nil, url: "http://h/" + reference.repository)
        case .url(let text, _): return Self.name(ofList: URLReference(text).lastComponent, in: text)
        case .file(let path, let folders):
            return Self.name(ofList: URL(fileURLWithPath: path).lastPathComponent, in: folders.first ?? "")
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
        case .url(let text, _): URLReference(text).origin
        case .file(_, let folders): folders.first.map { URLReference($0).origin }
        case .hub(let reference): URLReference(reference.endpoint).origin
        }
    }

    /// The name of the list, for error messages.
    var name: String {
        switch self {
        case .url(let url, _): RedactedURL.text(of: url)
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
        guard case .url(let url, _) = self, !allowsLocal, !LocalHost.contains(URLReference(url).host) else {
            return set
        }
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
        if text.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).first == "<" {
            let set = try FileSet(metalink: text, name: name, from: self.name)
            guard !folders.isEmpty else { return set }
            let files = set.files.map { file in
                var file = file
                file.urls += folders.map { FileSet.url(of: file.path, in: $0) }
                file.urls = Array(file.urls.prefix(1 + MirrorList.maximumCount))
                return file
            }
            return try FileSet(name: name, files: files, from: self.name)
        }
        let own: [String] =
            if case .url(let url, _) = self { [URLReference("./").resolved(against: URLReference(url)).text] } else {
                []
            }
        guard !own.isEmpty || !folders.isEmpty else {
            throw UsageError("\(self.name) names no servers; also give the URL of the folder with the files")
        }
        return try FileSet(checksums: text, name: name, folders: own + folders, from: self.name)
    }
}

extension FileSet {
    /// Creates a set from a list such as `SHA256SUMS`, whose files are beside it on the server.
    ///
    /// - Parameter folders: The URLs of the folders with the files, with slashes at their ends.
    /// - Throws: `UsageError` that names the list and its fault.
    init(checksums text: String, name: String, folders: [String], from source: String) throws {
        let list = try ChecksumList(text, name: source)
        let files = list.entries.map { entry in
            let path = entry.name.hasPrefix("./") ? String(entry.name.dropFirst(2)) : entry.name
            return File(
                path: path, urls: folders.map { Self.url(of: path, in: $0) }, size: nil, checksum: entry.checksum)
        }
        try self.init(name: name, files: files, from: source)
    }

    /// Returns the URL of a file in a folder.
    fileprivate static func url(of path: String, in folder: String) -> String {
        folder + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
    }
}
