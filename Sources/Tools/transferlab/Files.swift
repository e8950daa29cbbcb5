// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab

/// Reads and writes whole files.
enum Files {
    /// A file's bytes.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw UsageError("\(path) cannot be read: \(reason(error))")
        }
    }

    /// Writes a file in one step; `-` is standard output. What is a device or a pipe stays one, and takes the text as it comes.
    static func write(_ text: String, to path: String) throws {
        guard path != "-" else { return Console.write(text) }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: isSpecial(path) ? [] : .atomic)
        } catch {
            throw UsageError("\(path) cannot be written: \(reason(error))")
        }
    }

    /// Whether something is there that is no plain file, and must not be replaced by one: `/dev/null`, a pipe.
    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// The traces in files, each named by its file's name without the ending; no name may come twice.
    static func traces(_ paths: [String]) throws -> [Trace] {
        try zip(paths, devices(paths)).map { try trace($0, device: $1) }
    }

    /// The names of the traces in files, without a look into them.
    static func devices(_ paths: [String]) throws -> [String] {
        var seen: Set<String> = []
        return try paths.map { path in
            let device = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            guard seen.insert(device).inserted else {
                throw UsageError("two traces are called \(device); each needs a name of its own")
            }
            return device
        }
    }

    /// The trace in a file.
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
