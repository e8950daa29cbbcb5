// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferModel

extension FileSet {
    /// Creates a set from a Metalink document (RFC 5854).
    ///
    /// URLs with schemes other than http and https, torrents, and checksums other than SHA-256 and SHA-512 are ignored.
    ///
    /// - Throws: `UsageError` that names the document and its fault.
    package init(metalink text: String, name: String, from source: String) throws {
        let root: MarkupElement
        do { root = try MarkupElement(parsing: text) } catch { throw UsageError("\(source): not valid XML: \(error)") }
        guard root.name == "metalink", root.attributes["version"] == nil else {
            throw UsageError("\(source): not a Metalink 4 document (RFC 5854)")
        }
        let files = try root.children(named: "file").map { try File(metalink: $0, from: source) }
        try self.init(name: name, files: files, from: source)
    }
}

extension FileSet.File {
    fileprivate init(metalink element: MarkupElement, from source: String) throws {
        path = element.attributes["name"] ?? ""
        func refuse(_ fault: String) -> UsageError {
            UsageError("\(source): the file '\(element.attributes["name"] ?? "")' \(fault)".printable)
        }
        urls = element.children(named: "url").enumerated()
            .map { (priority: Int($1.attributes["priority"] ?? "") ?? 999_999, order: $0, url: $1.text.trimmed) }
            .filter { $0.url.hasPrefix("http://") || $0.url.hasPrefix("https://") }
            .sorted { ($0.priority, $0.order) < ($1.priority, $1.order) }
            .map(\.url)
        urls = Array(urls.prefix(1 + MirrorList.maximumCount))
        if let text = element.children(named: "size").first?.text.trimmed {
            guard let size = Int64(text), size >= 0 else {
                throw refuse("has the size '\(text.prefix(40))'; use bytes")
            }
            self.size = size
        }
        for hash in element.children(named: "hash") {
            let names = ["sha-256": "sha256", "sha-512": "sha512"]
            guard let algorithm = names[hash.attributes["type"]?.lowercased() ?? ""] else { continue }
            do { checksum = try Checksum(parsing: "\(algorithm):\(hash.text.trimmed)") } catch {
                throw refuse("has a checksum that \(error)")
            }
            if algorithm == "sha256" { break }
        }
    }
}

extension String {
    /// The string without white space at both ends.
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
