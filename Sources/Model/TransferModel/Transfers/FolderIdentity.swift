// SPDX-License-Identifier: Apache-2.0

/// The identity of a folder that a program in a sandbox may write, which stays while the folder's names change.
///
/// A program in a sandbox proves its right to one folder by an open descriptor. The identity is compared when the folder is
/// opened again, so that no other folder or link can be put in its place.
public struct FolderIdentity: Hashable, Sendable, Codable {
    /// The device number, `st_dev` of stat(2).
    public var device: UInt64
    /// The inode number, `st_ino` of stat(2).
    public var inode: UInt64
    /// The path of the document, `…/doc/by-app/APP/ID`, where the descriptor came from the document portal
    /// (`org.freedesktop.portal.Documents`); nil for any other folder.
    ///
    /// The portal keeps the app's right to a document under that path, and numbers its files anew each time it starts. So the
    /// folder is opened beneath the document, and the numbers are not compared.
    public var document: String?

    /// An identity.
    public init(device: UInt64, inode: UInt64, document: String? = nil) {
        self.device = device
        self.inode = inode
        self.document = document
    }
}
