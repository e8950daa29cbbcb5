// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel

/// The file that stores the user's overrides for connections.
///
/// ```swift
/// let file = OverridesFile(path: "/var/lib/example/overrides.toml")
/// try file.change { $0.settings["Train Wi-Fi"] = .yes }
/// ```
public struct OverridesFile: Sendable {
    /// The maximum size of a file of overrides. A larger file belongs to another program.
    private static let sizeLimit = 1 << 20

    /// The absolute path of the file.
    public let path: String

    /// Creates a reference to the file at `path`. The file need not exist.
    public init(path: String) { self.path = path }

    /// Reads the overrides. A missing file has no overrides.
    ///
    /// - Throws: `OverridesFileError` if the file cannot be read or parsed.
    public func read() throws(OverridesFileError) -> ConnectionOverrides { try parse(try text()) }

    /// Reads the text of the file; empty if the file does not exist.
    func text() throws(OverridesFileError) -> String {
        guard SmallFile.exists(path) else {
            if errno == ENOENT || errno == ENOTDIR { return "" }
            throw failure("cannot be read")
        }
        guard let bytes = SmallFile.end(of: path, length: Self.sizeLimit + 1) else { throw failure("cannot be read") }
        guard bytes.count <= Self.sizeLimit else {
            throw OverridesFileError(path: path, problem: "is larger than the maximum for overrides (1 MiB)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw OverridesFileError(path: path, problem: "is not UTF-8 text")
        }
        return text
    }

    /// Parses a text as overrides. Errors name this file.
    func parse(_ text: String) throws(OverridesFileError) -> ConnectionOverrides {
        do {
            return try ConnectionOverrides(parsing: text)
        } catch {
            throw OverridesFileError(path: path, problem: "\(error)")
        }
    }

    /// Reads, changes, and replaces the file under a lock. A concurrent reader sees either the old or the new content.
    ///
    /// The file's folder must exist.
    ///
    /// - Throws: `OverridesFileError` if the file cannot be read, parsed, or written. The file then remains unchanged.
    public func change(_ body: (inout ConnectionOverrides) -> Void) throws(OverridesFileError) {
        // A symbolic link is kept: the file that it points to is replaced.
        let target = realpath(path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        let destination = target ?? path
        let folder = String(destination[..<(destination.lastIndex(of: "/") ?? destination.startIndex)])
        let directory = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure("cannot be written: its folder \(folder)") }
        defer { close(directory) }
        // Closing the descriptor releases the lock.
        while flock(directory, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure("cannot be written: its folder \(folder) cannot be locked") }
        }
        var overrides = try read()
        let former = overrides
        body(&overrides)
        guard overrides != former || !SmallFile.exists(destination) else { return }
        do { try DurableFile.write(Data(overrides.text.utf8), to: destination) } catch {
            throw failure("cannot be written", (error as? POSIXError)?.code.rawValue ?? EIO)
        }
    }

    private func failure(_ problem: String, _ code: Int32 = errno) -> OverridesFileError {
        OverridesFileError(path: path, problem: "\(problem) (\(String(cString: strerror(code))))")
    }
}

/// An error of a file of overrides.
public struct OverridesFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public var path: String
    /// The problem, and its line if there is one.
    public var problem: String

    /// The path and the problem, in one sentence.
    public var description: String { "the overrides in \(path): \(problem)" }
}
