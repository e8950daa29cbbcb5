// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
import TransferFiles
package import TransferModel

/// Files that finish together or not at all.
///
/// The names come from servers. They are checked when a set is created, so that every path stays inside the set's folder.
package struct FileSet: Hashable, Sendable, Codable {
    /// A file of a set.
    package struct File: Hashable, Sendable, Codable {
        /// The path below the set's folder.
        package var path: String
        /// The URLs of the file, in the order in which they are tried. At least one.
        package var urls: [String]
        /// The size in bytes, or `nil` if it is unknown.
        package var size: Int64?
        /// The checksum, or `nil` if there is none that can be verified.
        package var checksum: Checksum?

        /// Creates a file.
        package init(path: String, urls: [String], size: Int64? = nil, checksum: Checksum? = nil) {
            (self.path, self.urls, self.size, self.checksum) = (path, urls, size, checksum)
        }
    }

    /// The name of the set, which is also the name of its folder by default.
    package let name: String
    /// The files. At least one.
    package let files: [File]

    /// The maximum number of files.
    package static let maximumCount = 100_000

    /// Creates a set.
    ///
    /// - Parameter source: The name of the list, for error messages.
    /// - Throws: `UsageError` that names the list and the file with the fault.
    package init(name: String, files: [File], from source: String) throws {
        guard !files.isEmpty else { throw UsageError("\(source) names no file") }
        guard files.count <= Self.maximumCount else {
            throw UsageError("\(source) names \(files.count) files; the maximum is \(Self.maximumCount)")
        }
        var folders: Set<String> = []
        var paths: Set<String> = []
        var bytes: Int64 = 0
        for file in files {
            func refuse(_ fault: String) -> UsageError {
                UsageError("\(source): the file '\(file.path.prefix(200).description.printable)' \(fault)")
            }
            if let fault = Self.fault(ofPath: file.path) { throw refuse(fault) }
            guard paths.insert(file.path).inserted else { throw refuse("is named twice") }
            guard !file.urls.isEmpty else { throw refuse("has no http or https URL") }
            if let size = file.size {
                guard size >= 0 else { throw refuse("has a negative size") }
                let (sum, overflows) = bytes.addingReportingOverflow(size)
                guard !overflows else { throw refuse("makes the set larger than any disk") }
                bytes = sum
            }
            var end = file.path.startIndex
            while let slash = file.path[end...].firstIndex(of: "/") {
                folders.insert(String(file.path[..<slash]))
                end = file.path.index(after: slash)
            }
        }
        if let file = paths.first(where: folders.contains) {
            throw UsageError("\(source): '\(file.printable)' is both a file and a folder")
        }
        let safeName = ServerFileName.safe(name, limit: 240)
        (self.name, self.files) = (safeName.isEmpty ? "files" : safeName, files)
    }

    /// Reads a saved set, and checks it as if it came from a server.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            name: container.decode(String.self, forKey: .name), files: container.decode([File].self, forKey: .files),
            from: "the saved list")
    }

    /// Returns what is wrong with a path from a server, or `nil` if the path stays inside its folder.
    package static func fault(ofPath path: String) -> String? {
        guard !path.isEmpty, path.utf8.count <= 2048 else { return "has no name, or one of more than 2,048 bytes" }
        // By bytes, because a combining mark after a slash does not change its meaning.
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty else { return "has an absolute path or an empty part; use a relative path" }
            guard !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else {
                return "leads outside the folder of the set"
            }
            if let fault = Substring(part).fileNameFault { return "has a name that \(fault)" }
        }
        return nil
    }

    /// The sum of the known sizes, and whether all sizes are known.
    package var size: (bytes: Int64, isComplete: Bool) {
        (files.reduce(0) { $0 + ($1.size ?? 0) }, files.allSatisfy { $0.size != nil })
    }
}
