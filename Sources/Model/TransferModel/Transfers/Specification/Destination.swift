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
