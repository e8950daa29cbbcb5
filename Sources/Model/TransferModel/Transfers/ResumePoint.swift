// SPDX-License-Identifier: Apache-2.0

/// A validator that identifies one version of a server's file (RFC 9110 §8.8).
///
/// ```swift
/// let version = Validator(entityTag: "\"5f3a\"", lastModified: nil)
/// ```
public struct Validator: Hashable, Sendable, Codable {
    /// The entity tag as sent, including quotes and `W/`.
    public var entityTag: String?
    /// The `Last-Modified` field as sent.
    public var lastModified: String?

    /// Creates a validator from the two fields.
    public init(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// A partial file, on this machine or on a server, with the information to continue it.
public struct ResumePoint: Hashable, Sendable, Codable {
    /// The absolute path of the partial file, or an empty string for an upload, which has none here.
    public var path: String
    /// The number of bytes from the beginning that are durably on disk. For an upload, the number of bytes that the
    /// server has confirmed.
    public var offset: Int64
    /// The size of the file in bytes, or `nil` if unknown.
    public var total: Int64?
    /// The version of the server's file that the bytes belong to. The value `nil` forbids continuing.
    public var validator: Validator?
    /// The identifier of the boot in which the file was written. Within that boot, bytes beyond `offset` also count.
    public var bootID: String
    /// The inode number of the partial file.
    ///
    /// A crash between the rename to the final name and its record leaves no partial file. The number then identifies
    /// the finished file.
    public var fileNumber: UInt64?
    /// The position at which an upload continues, or `nil` for a download.
    public var upload: UploadResume?
    /// Further pieces beyond `offset` that are durably on disk, in order.
    ///
    /// If the value is not `nil`, even if it is empty, the file may have holes. The length of the file then has no
    /// meaning, even within the same boot.
    public var extents: [Extent]?

    /// Creates the resume point of an upload. The server has `offset` of `total` bytes.
    public init(upload: UploadResume, offset: Int64, total: Int64) {
        self.init(path: "", offset: offset, total: total, validator: nil, bootID: "")
        self.upload = upload
    }

    /// Creates the resume point of a partial file.
    public init(
        path: String, offset: Int64, total: Int64?, validator: Validator?, bootID: String, fileNumber: UInt64? = nil,
        extents: [Extent]? = nil
    ) {
        self.path = path
        self.fileNumber = fileNumber
        self.offset = offset
        self.total = total
        self.validator = validator
        self.bootID = bootID
        self.extents = extents
    }

    /// The total number of bytes that are durably on disk.
    public var bytes: Int64 { (extents ?? []).reduce(offset) { $0 + max(0, $1.end - $1.start) } }
}

/// A half-open range of bytes in a file.
public struct Extent: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    public var start: Int64
    /// The offset after the last byte.
    public var end: Int64

    /// Creates a range of bytes.
    public init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}

/// A finished file, as it was when it was finished.
public struct CompletedFile: Hashable, Sendable, Codable {
    /// The absolute path of the file.
    public var path: String
    /// The size of the file in bytes.
    public var bytes: Int64
    /// The modification time in nanoseconds since 1970.
    public var modified: Int64
    /// The version of the server's file.
    public var validator: Validator?

    /// Creates a description of a finished file.
    public init(path: String, bytes: Int64, modified: Int64, validator: Validator?) {
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.validator = validator
    }
}

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
