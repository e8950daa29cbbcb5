// SPDX-License-Identifier: Apache-2.0

/// The identity of a folder on this machine, which stays while its names change.
///
/// A program in a sandbox proves its right to one folder by an open descriptor. The identity is compared when the folder is
/// opened again, so that no other folder or link can be put in its place.
public struct FolderIdentity: Hashable, Sendable, Codable {
    /// The device number, `st_dev` of stat(2).
    public var device: UInt64
    /// The inode number, `st_ino` of stat(2).
    public var inode: UInt64

    /// An identity.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
