// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPSyntax
import ToolSupport
import TransferEngine
import TransferFiles
import TransferModel

/// A repository of Hugging Face: `hf:[datasets/|spaces/]ORG/REPO[@REVISION][:GLOB]`.
///
/// Source of the requests: the public API that the `huggingface_hub` library calls (`api/models/…/revision/…`,
/// `api/models/…/tree/…`, and `…/resolve/…`).
struct HubReference: Hashable, Sendable {
    /// `models`, `datasets`, or `spaces`.
    private let kind: String
    /// The organization and the name.
    let repository: String
    /// The branch, tag, or commit.
    let revision: String
    private let pattern: String?
    /// The URL of the service, without a slash at its end.
    let endpoint: String
    /// The reference as the user wrote it.
    let text: String

    /// Parses a reference.
    ///
    /// - Parameter environment: The environment. `HF_ENDPOINT` names another service.
    /// - Throws: `UsageError` with the form of a reference.
    init(_ text: String, environment: [String: String]) throws {
        let form = UsageError(
            "not a valid repository: '\(text)'; use hf:ORG/REPO, hf:ORG/REPO@REVISION:GLOB, or hf:datasets/ORG/REPO")
        guard text.hasPrefix("hf:") else { throw form }
        var rest = text.dropFirst(3)
        kind = ["datasets", "spaces"].first { rest.hasPrefix($0 + "/") } ?? "models"
        if kind != "models" { rest = rest.dropFirst(kind.count + 1) }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        pattern = parts.count > 1 ? String(parts[1]) : nil
        let names = (parts.first ?? "").split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        repository = String(names.first ?? "")
        revision = names.count > 1 ? String(names[1]) : "main"
        let components = repository.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = repository.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./".contains($0)) }
        guard (1...2).contains(components.count), isPlain, pattern != "", !revision.isEmpty,
            components.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { throw form }
        let chosen = environment["HF_ENDPOINT"].flatMap { $0.isEmpty ? nil : $0 } ?? "https://huggingface.co"
        guard let url = URLComponents(string: chosen), ["http", "https"].contains(url.scheme),
            url.host?.isEmpty == false
        else { throw UsageError("HF_ENDPOINT '\(RedactedURL.text(of: chosen))' is not an http or https URL") }
        endpoint = chosen.hasSuffix("/") ? String(chosen.dropLast()) : chosen
        self.text = text
    }

    /// The URL that tells the commit of the revision.
    var revisionURL: String { "\(endpoint)/api/\(kind)/\(repository)/revision/\(Self.escaped(revision, "/"))" }

    /// Returns the URL of the first page of the list of files at a commit.
    func listURL(at commit: String) -> String { "\(endpoint)/api/\(kind)/\(repository)/tree/\(commit)?recursive=true" }

    /// The secret of the user's account, or `nil` if there is none.
    static func token(environment: [String: String]) -> String? {
        if let token = environment["HF_TOKEN"], !token.isEmpty { return token }
        let home = environment["HF_HOME"] ?? BaseFolder.home.map { $0 + "/.cache/huggingface" }
        guard let home, let text = try? String(contentsOfFile: home + "/token", encoding: .utf8) else { return nil }
        let token = text.filter { !$0.isWhitespace }
        return token.isEmpty ? nil : token
    }

    // MARK: Answers

    private struct Revision: Decodable { var sha: String }

    private struct Entry: Decodable {
        struct Large: Decodable {
            var oid: String
            var size: Int64
        }
        var type: String
        var path: String
        var size: Int64?
        var lfs: Large?
    }

    /// Returns the commit that the service names for the revision.
    ///
    /// - Throws: `UsageError` if the answer names none.
    func commit(in answer: Data) throws -> String {
        guard let revision = try? JSONDecoder().decode(Revision.self, from: answer),
            revision.sha.utf8.count >= 7, revision.sha.allSatisfy(\.isHexDigit)
        else { throw UsageError("\(text): the answer of \(revisionURL) names no commit") }
        return revision.sha
    }

    /// Returns the files of a page of the list that match the pattern.
    ///
    /// - Throws: `UsageError` if the page is not valid.
    func files(in page: Data, at commit: String) throws -> [FileSet.File] {
        let entries: [Entry]
        do { entries = try JSONDecoder().decode([Entry].self, from: page) } catch {
            throw UsageError("\(text): the list of files is not valid")
        }
        return try entries.filter { $0.type == "file" && matches($0.path) }.map { entry in
            let folder = kind == "models" ? "" : kind + "/"
            let checksum: Checksum?
            do { checksum = try entry.lfs.map { try Checksum(parsing: "sha256:\($0.oid)") } } catch {
                throw UsageError("\(text): the checksum of '\(entry.path.prefix(200))' \(error)".printable)
            }
            return FileSet.File(
                path: entry.path,
                urls: ["\(endpoint)/\(folder)\(repository)/resolve/\(commit)/\(Self.escaped(entry.path))"],
                size: entry.lfs?.size ?? entry.size, checksum: checksum)
        }
    }

    /// Returns the set of these files.
    func fileSet(_ files: [FileSet.File], name: String) throws -> FileSet {
        if files.isEmpty, let pattern { throw UsageError("\(text): no file matches '\(pattern)'") }
        return try FileSet(name: name, files: files, from: text)
    }

    /// As in `huggingface_hub`, `*` also matches slashes.
    private func matches(_ path: String) -> Bool { pattern.map { fnmatch($0, path, 0) == 0 } ?? true }

    /// Returns the URL of the next page in the `Link` field of an answer (RFC 8288), or `nil` after the last page.
    ///
    /// - Throws: `UsageError` if the next page is on another server, which must not receive the token.
    func nextPage(after head: FinalResponseHead) throws -> String? {
        for field in head.headers where field.name.lowercased() == "link" {
            for link in field.value.split(separator: ",") {
                guard let open = link.firstIndex(of: "<"), let close = link.firstIndex(of: ">"), open < close,
                    link[close...].replacing(" ", with: "").contains("rel=\"next\"")
                else { continue }
                let next = URLReference(String(link[link.index(after: open)..<close]))
                    .resolved(against: URLReference(head.url))
                guard next.origin == URLReference(endpoint).origin else {
                    throw UsageError("\(text): the list continues on another server, \(next.hostAndPort)")
                }
                return next.text
            }
        }
        return nil
    }

    private static func escaped(_ text: String, _ others: String = "") -> String {
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: others)
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }
}
