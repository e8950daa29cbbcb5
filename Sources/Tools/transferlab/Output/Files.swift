// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab

/// Reads and writes whole files.
enum Files {
    /// Returns the bytes of a file. The path `-` is standard input.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            let input = FileHandle.standardInput
            return Array(try path == "-" ? input.readToEnd() ?? Data() : Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw UsageError("cannot read \(path): \(reason(error, path, R_OK))")
        }
    }

    /// Replaces a file atomically. The path `-` is standard output. An existing device or pipe is not replaced, and
    /// receives the text directly.
    static func write(_ text: String, to path: String) throws {
        guard path != "-" else { return Console.write(text) }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: isSpecial(path) ? [] : .atomic)
        } catch {
            throw UsageError("cannot write \(path): \(reason(error, path, W_OK))")
        }
    }

    /// Creates a folder, with the folders above it, unless it exists.
    static func createFolder(_ path: String) throws {
        var code = mkdir(path, 0o777) == 0 ? 0 : errno
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if code == ENOENT, parent != path, parent != "/" {
            try createFolder(parent)
            code = mkdir(path, 0o777) == 0 ? 0 : errno
        }
        guard code != 0, !(code == EEXIST && isFolder(path)) else { return }
        throw UsageError("cannot create the folder \(path): \(code == EEXIST ? "a file has this name" : words(code))")
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether the path is something other than a plain file, such as `/dev/null` or a pipe. A plain file
    /// must not replace it.
    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Returns the trace in a file.
    static func trace(_ path: String, device: String) throws -> Trace {
        try Trace(csv: read(path), device: device, file: path)
    }

    /// Refuses a compressed file, an archive, or a URL, and names the command that makes its traces readable.
    static func checkPlain(_ path: String) throws {
        let word = StudyOptions.quoted(path)
        if path.hasPrefix("http://") || path.hasPrefix("https://") {
            throw UsageError("\(word) is not a file; download it first: transferctl get \(word)")
        }
        let commands = [
            (".tar", "tar -xf"), (".tar.gz", "tar -xf"), (".tgz", "tar -xf"), (".tar.zst", "tar -xf"),
            (".tzst", "tar -xf"), (".gz", "gzip -d"), (".zst", "zstd -d"),
        ]
        if let (_, command) = commands.first(where: { path.hasSuffix($0.0) }) {
            throw UsageError("\(word) is packed; unpack it first: \(command) \(word)")
        }
    }

    /// Returns the paths of the traces in a folder, or of the files that match a pattern such as `days/*.csv`, in the
    /// order of their names. Returns `nil` for the path of a file.
    static func paths(in path: String) throws -> [String]? {
        if isFolder(path) {
            let names: [String]
            do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
                throw UsageError("cannot read \(path): \(error.localizedDescription)")
            }
            // Packed traces are refused when they are visited, and not left out without a word.
            let traces = names.filter { name in
                [".csv", ".csv.gz", ".csv.zst"].contains { name.hasSuffix($0) } && !name.hasPrefix(".")
            }
            guard !traces.isEmpty else { throw UsageError("the folder \(path) has no .csv file") }
            return traces.sorted().map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
        }
        guard path.contains(where: { "*?[".contains($0) }), access(path, F_OK) != 0 else { return nil }
        var matches = glob_t()
        defer { globfree(&matches) }
        guard glob(path, 0, nil, &matches) == 0, let first = matches.gl_pathv else {
            throw UsageError("no file matches \(path)")
        }
        return (0..<Int(matches.gl_pathc)).compactMap { index in first[index].map { String(cString: $0) } }
    }

    /// Returns the error for a file that cannot be opened or read, from the system's last error.
    static func unreadable(_ path: String) -> UsageError {
        let error = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        return UsageError("cannot read \(path): \(reason(error, path, R_OK))")
    }

    /// Returns why a file could not be read or written, in plain words.
    ///
    /// - Parameters:
    ///   - error: The error of Foundation, which may hide the system's error code.
    ///   - mode: The access that was needed, `R_OK` or `W_OK`.
    private static func reason(_ error: any Error, _ path: String, _ mode: Int32) -> String {
        if isFolder(path) { return "it is a folder, not a file" }
        var status = stat()
        guard stat(path, &status) != 0 else {
            return words(access(path, mode) == 0 ? posixCode(error as NSError) : errno)
        }
        let code = errno
        guard code == ENOENT else { return words(code) }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !isFolder(parent) { return "there is no folder \(parent)" }
        if mode == R_OK { return "there is no such file" }
        return words(access(parent, mode) == 0 ? posixCode(error as NSError) : errno)
    }

    /// Returns the system's error code in an error or its causes; `nil` if there is none.
    private static func posixCode(_ error: NSError) -> Int32? {
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(posixCode)
    }

    private static func words(_ code: Int32?) -> String {
        switch code {
        case EACCES, EPERM: "permission denied"
        case ENOSPC, EDQUOT: "no space is left"
        case EROFS: "the file system is read-only"
        case ENAMETOOLONG: "the name is too long"
        case ENOENT: "there is no such folder"
        case EEXIST, ENOTDIR: "a part of its path is a file, not a folder"
        case let code?: String(cString: strerror(code))
        case nil: "the system gave no reason"
        }
    }
}
