// SPDX-License-Identifier: Apache-2.0

/// The identity of a folder that a sandboxed program may write to. The identity stays if the folder is renamed.
///
/// A sandboxed program proves its right to a folder with an open descriptor. When the folder is opened again, its
/// identity is compared, so that no other folder or link can be substituted.
public struct FolderIdentity: Hashable, Sendable, Codable {
    /// The device number, `st_dev` of stat(2).
    public var device: UInt64
    /// The inode number, `st_ino` of stat(2).
    public var inode: UInt64
    /// The path of the document, `…/doc/by-app/APP/ID`, if the descriptor came from the document portal
    /// (`org.freedesktop.portal.Documents`). The value is `nil` for any other folder.
    ///
    /// The portal keeps the app's right to a document under this path, but renumbers its files on every start. The
    /// folder is therefore opened beneath the document, and the numbers are not compared.
    public var document: String?

    /// Creates an identity. By default, the folder does not come from the document portal.
    public init(device: UInt64, inode: UInt64, document: String? = nil) {
        self.device = device
        self.inode = inode
        self.document = document
    }
}
