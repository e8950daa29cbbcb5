// SPDX-License-Identifier: Apache-2.0
import Glibc
public import TransferModel

/// The file that an upload sends, opened once: what has its name later does not matter.
package final class UploadFile: Sendable {
    package let descriptor: OwnedDescriptor
    private let source: UploadSource

    /// Opens it, where it is still the file that was handed over.
    ///
    /// A symbolic link is followed: it is read only.
    package convenience init(_ source: UploadSource) throws(TransferFailure) {
        let number = Glibc.open(source.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw Self.unreadable(source.shownPath, errno) }
        self.init(source, descriptor: OwnedDescriptor(number))
        if let change = change() { throw change }
    }

    /// The file that somebody else has opened.
    package init(_ source: UploadSource, descriptor: OwnedDescriptor) {
        self.source = source
        self.descriptor = descriptor
    }

    /// What is different about it; nil where it is as it was when it was handed over.
    package func change() -> TransferFailure? {
        guard let facts = FileFacts(descriptor: descriptor.number) else {
            return Self.unreadable(source.shownPath, errno)
        }
        guard facts.kind == .regular else { return Self.noFile(source.shownPath) }
        guard facts.size == source.size else {
            let what = facts.size < source.size ? "is shorter" : "is longer"
            return Self.changed(
                "\(source.shownPath) \(what) than when its upload was asked for: \(facts.size) bytes instead of "
                    + "\(source.size). Ask for it anew.")
        }
        guard facts.modified == source.modified else {
            return Self.changed("\(source.shownPath) was changed since its upload was asked for. Ask for it anew.")
        }
        return nil
    }

    /// Reads at most `count` bytes at `offset`; fails where there is none, or where the file has changed.
    package func read(into buffer: UnsafeMutablePointer<UInt8>, _ count: Int, at offset: Int64) -> Result<
        Int, TransferFailure
    > {
        var got = 0
        repeat { got = pread(descriptor.number, buffer, count, off_t(offset)) } while got < 0 && errno == EINTR
        let code = errno
        // After the bytes were read: what was written before that shows.
        if let change = change() { return .failure(change) }
        if got < 0 { return .failure(Self.unreadable(source.shownPath, code)) }
        return got == 0 ? .failure(Self.changed("\(source.shownPath) ended early.")) : .success(got)
    }

    package static func changed(_ message: String) -> TransferFailure {
        TransferFailure(cause: .sourceChanged, message: message)
    }

    package static func unreadable(_ path: String, _ code: Int32) -> TransferFailure {
        changed("\(path) cannot be read: \(String(cString: strerror(code))).")
    }

    package static func noFile(_ path: String) -> TransferFailure {
        changed("\(path) is no file: only regular files can be uploaded.")
    }
}

extension UploadSource {
    /// The file at `path`, an absolute path, as it is now.
    ///
    /// - Throws: `TransferFailure` of the cause `sourceChanged` where it cannot be read or is no regular file.
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
