// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The file that keeps a person's words on connections.
public struct OverridesFile: Sendable {
    /// Larger files are none of ours.
    private static let sizeLimit = 1 << 20

    /// Its path, which is absolute.
    public let path: String

    /// The file at `path`, which need not exist.
    public init(path: String) { self.path = path }

    /// What it says; nothing where there is none.
    ///
    /// - Throws: `OverridesFileError` where it cannot be read or understood.
    public func read() throws(OverridesFileError) -> ConnectionOverrides { try parse(try text()) }

    /// Its text; empty where there is none.
    func text() throws(OverridesFileError) -> String {
        guard SmallFile.exists(path) else {
            if errno == ENOENT || errno == ENOTDIR { return "" }
            throw failure("cannot be read")
        }
        guard let bytes = SmallFile.end(of: path, length: Self.sizeLimit + 1) else { throw failure("cannot be read") }
        guard bytes.count <= Self.sizeLimit else {
            throw OverridesFileError(path: path, problem: "is larger than a file of overrides can be (1 MiB)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw OverridesFileError(path: path, problem: "is not UTF-8 text")
        }
        return text
    }

    /// What a text says.
    func parse(_ text: String) throws(OverridesFileError) -> ConnectionOverrides {
        do {
            return try ConnectionOverrides(parsing: text)
        } catch {
            throw OverridesFileError(path: path, problem: "\(error)")
        }
    }

    /// Reads, changes and writes as one step, whoever else does the same; a reader sees all of it or nothing.
    ///
    /// Its folder has to exist.
    ///
    /// - Throws: `OverridesFileError` where it cannot be read, understood or written; then it is as it was.
    public func change(_ body: (inout ConnectionOverrides) -> Void) throws(OverridesFileError) {
        // A link stays one: what it points to is replaced.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        let place = target ?? path
        let folder = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        let directory = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure("cannot be written: its folder \(folder)") }
        defer { close(directory) }
        // Released with the descriptor.
        while flock(directory, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("cannot be written: its folder \(folder) cannot be locked") }
        }
        var overrides = try read()
        let former = overrides
        body(&overrides)
        guard overrides != former || !SmallFile.exists(place) else { return }
        try write(overrides.text, to: place)
        fsync(directory)
    }

    private func write(_ text: String, to place: String) throws(OverridesFileError) {
        let draft = "\(place).\(getpid()).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be written") }
        var rest = Array(text.utf8)[...]
        var isWritten = true
        while !rest.isEmpty, isWritten {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            isWritten = count > 0
            rest = rest.dropFirst(max(count, 0))
        }
        isWritten = isWritten && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(draft, place) == 0 else {
            let error = failure("cannot be written", isWritten ? errno : code)
            unlink(draft)
            throw error
        }
    }

    private func failure(_ problem: String, _ code: Int32 = errno) -> OverridesFileError {
        OverridesFileError(path: path, problem: "\(problem) (\(String(cString: strerror(code))))")
    }
}

/// Why a file of overrides is of no use.
public struct OverridesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public var path: String
    /// What is wrong, and on which line where there is one.
    public var problem: String

    /// One sentence.
    public var description: String { "the overrides in \(path): \(problem)" }
}
