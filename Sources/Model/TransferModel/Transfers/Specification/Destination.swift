// SPDX-License-Identifier: Apache-2.0

/// The location of a finished file, and the rule for an existing file of the same name.
///
/// ```swift
/// let destination = Destination(directory: "/srv/downloads", name: "file.iso", collision: .overwrite)
/// ```
public struct Destination: Hashable, Sendable, Codable {
    /// The rule for an existing file of the same name.
    public enum Collision: String, Hashable, Sendable, Codable, CaseIterable {
        /// Keeps the existing file, and names the new file `name (1).ext`, as browsers do.
        case rename
        /// Replaces the existing file, atomically.
        ///
        /// Nothing is replaced if only the server names the file (`Content-Disposition`, or a redirect's target) and
        /// the name differs from the one in the transfer's URL. The new file is then renamed as by `rename`.
        case overwrite
        /// Keeps the existing file, and fails.
        case fail
    }

    /// The absolute path of the folder.
    public var directory: String
    /// The name of the file, or `nil` for the server's name (`Content-Disposition`, or else the URL's), made safe.
    public var name: String?
    /// The rule for an existing file of the same name. The default is `rename`.
    public var collision: Collision
    /// The identity of the folder that must exist at `directory`, or `nil` for any folder. With `nil`, a missing
    /// folder is created.
    ///
    /// The identity is set for a folder that an app passed as a descriptor. Moving that folder away cannot redirect
    /// the file into another folder.
    public var folderIdentity: FolderIdentity?

    /// Creates a destination.
    public init(
        directory: String, name: String?, collision: Collision = .rename, folderIdentity: FolderIdentity? = nil
    ) {
        self.directory = directory
        self.name = name
        self.collision = collision
        self.folderIdentity = folderIdentity
    }
}

/// The name of a transfer, as shown to users: the file's name, or the URL without secrets.
///
/// ```swift
/// let name = DisplayName(of: specification).text  // "file.iso"
/// ```
public struct DisplayName: Hashable, Sendable {
    /// The name.
    public let text: String

    /// Creates the name of a transfer.
    public init(of specification: TransferSpecification) { text = Self.text(of: specification) }

    private static func text(of specification: TransferSpecification) -> String {
        if let upload = specification.upload {
            return upload.shownPath.split(separator: "/").last.map(String.init) ?? upload.shownPath
        }
        // A session's own files have generated names.
        if !specification.keepsResponseHead, let name = specification.destination.name { return name }
        let url = RedactedURL.text(of: specification.url)
        // Bytes are faster than characters: at its start, the daemon needs the names of thousands of transfers.
        let last = url.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? url
        let escape = UInt8(ascii: "%")
        guard last.utf8.contains(escape), let decoded = EscapedText.decoded(last[...], escape: escape) else {
            return last
        }
        // D-Bus cannot carry a NUL, so one such name would make a whole list unusable. A slash would suggest a
        // folder.
        let isName = decoded.unicodeScalars.allSatisfy { $0 != "/" && (!$0.isUnsafe || $0.isJoiner) }
        return isName ? decoded : last
    }
}
