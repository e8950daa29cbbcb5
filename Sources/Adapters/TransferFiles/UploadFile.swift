// SPDX-License-Identifier: Apache-2.0
import Glibc
public import TransferModel

/// The file that an upload sends. The file is opened once, so a later file of that name has no effect.
package final class UploadFile: Sendable {
    package let descriptor: OwnedDescriptor
    private let source: UploadSource

    /// Opens the file if it is still the submitted file.
    ///
    /// Follows a symbolic link, because the file is only read.
    package convenience init(_ source: UploadSource) throws(TransferFailure) {
        let number = Glibc.open(source.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw Self.unreadable(source.shownPath, errno) }
        self.init(source, descriptor: OwnedDescriptor(number))
        if let change = change() { throw change }
    }

    /// Creates an upload file from a descriptor that another component has opened.
    package init(_ source: UploadSource, descriptor: OwnedDescriptor) {
        self.source = source
        self.descriptor = descriptor
    }

    /// Returns the failure for a change of the file since its submission, or `nil` if the file is unchanged.
    package func change() -> TransferFailure? {
        guard let facts = FileFacts(descriptor: descriptor.number) else {
            return Self.unreadable(source.shownPath, errno)
        }
        guard facts.kind == .regular else { return Self.noFile(source.shownPath) }
        guard facts.size == source.size else {
            let what = facts.size < source.size ? "is shorter" : "is longer"
            return Self.changed(
                "\(source.shownPath) \(what) than when its upload was submitted: \(facts.size) bytes instead of "
                    + "\(source.size). Submit the upload again.")
        }
        guard facts.modified == source.modified else {
            return Self.changed("\(source.shownPath) changed after its upload was submitted. Submit the upload again.")
        }
        return nil
    }

    /// Reads at most `count` bytes at `offset`. Fails if there are no bytes, or if the file has changed.
    package func read(into buffer: UnsafeMutablePointer<UInt8>, _ count: Int, at offset: Int64) -> Result<
        Int, TransferFailure
    > {
        var readCount = 0
        repeat {
            readCount = pread(descriptor.number, buffer, count, off_t(offset))
        } while readCount < 0 && errno == EINTR
        let code = errno
        // The check follows the read, so it detects every change that precedes the read.
        if let change = change() { return .failure(change) }
        if readCount < 0 { return .failure(Self.unreadable(source.shownPath, code)) }
        return readCount == 0 ? .failure(Self.changed("\(source.shownPath) ended early.")) : .success(readCount)
    }

    package static func changed(_ message: String) -> TransferFailure {
        TransferFailure(cause: .sourceChanged, message: message)
    }

    package static func unreadable(_ path: String, _ code: Int32) -> TransferFailure {
        changed("\(path) cannot be read: \(String(cString: strerror(code))).")
    }

    package static func noFile(_ path: String) -> TransferFailure {
        changed("\(path) is not a regular file; only regular files can be uploaded.")
    }
}

extension UploadSource {
    /// Creates the source of an upload from the current state of the file at `path`.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file.
    ///   - method: The method of the request. Default PUT.
    ///   - contentType: The media type of the file, or `nil` if the type is unknown.
    ///   - resumption: The way in which an interrupted upload continues. Default automatic.
    /// - Throws: `TransferFailure` of the cause `sourceChanged` if the file cannot be read or is not a regular file.
    public init(
        fileAt path: String, method: Method = .put, contentType: String? = nil, resumption: Resumption = .automatic
    ) throws(TransferFailure) {
        guard let facts = FileFacts(path: path, followsLinks: true) else { throw UploadFile.unreadable(path, errno) }
        guard facts.kind == .regular else { throw UploadFile.noFile(path) }
        guard access(path, R_OK) == 0 else { throw UploadFile.unreadable(path, errno) }
        self.init(
            method: method, path: path, size: facts.size, modified: facts.modified, contentType: contentType,
            resumption: resumption)
    }
}
