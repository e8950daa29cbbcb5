// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

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
