// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab

/// Reads and writes whole files.
enum Files {
    /// Returns the bytes of a file.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw UsageError("cannot read \(path): \(reason(error))")
        }
    }

    /// Replaces a file atomically. The path `-` is standard output. An existing device or pipe is not replaced, and
    /// receives the text directly.
    static func write(_ text: String, to path: String) throws {
        guard path != "-" else { return Console.write(text) }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: isSpecial(path) ? [] : .atomic)
        } catch {
            throw UsageError("cannot write \(path): \(reason(error))")
        }
    }

    /// Creates a folder, with the folders above it, unless it exists.
    static func createFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw UsageError("cannot create the folder \(path): \(reason(error))")
        }
    }

    /// Returns whether the path is something other than a plain file, such as `/dev/null` or a pipe. A plain file
    /// must not replace it.
    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Returns the traces in files. A trace has the name of its file without the extension, and names must be unique.
    static func traces(_ paths: [String]) throws -> [Trace] {
        try zip(paths, devices(paths)).map { try trace($0, device: $1) }
    }

    /// Returns the names of the traces in files, without reading the files.
    static func devices(_ paths: [String]) throws -> [String] {
        var seen: Set<String> = []
        return try paths.map { path in
            let device = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            guard seen.insert(device).inserted else {
                throw UsageError("two traces have the name \(device); the names of traces must be unique")
            }
            return device
        }
    }

    /// Returns the trace in a file.
    static func trace(_ path: String, device: String) throws -> Trace {
        try Trace(csv: read(path), device: device, file: path)
    }

    private static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        if let underlying, underlying.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(underlying.code)))
        }
        return (error as NSError).localizedDescription
    }
}
