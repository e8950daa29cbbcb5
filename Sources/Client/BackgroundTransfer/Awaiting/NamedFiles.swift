// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import GLibBridge
internal import Glibc
internal import LinuxKernel
internal import TransferModel

/// The finished files of a session's named transfers, in a folder of their own.
///
/// Beside each file, a hidden record names the request. The record is saved before the file arrives, so a file is
/// finished if and only if both exist.
struct NamedFiles: Sendable {
    /// The description of the request that a file belongs to.
    struct Record: Hashable, Codable {
        var id: String
        var fingerprint: String
        /// The URL without the parts that may be secret.
        var url: String
    }

    /// A failure of a call of the C library.
    struct Failure: Error, CustomStringConvertible {
        var description = String(cString: strerror(errno))
    }

    /// The absolute path of the folder.
    let folder: String

    /// Returns the path of the file with a name.
    func path(of id: String) -> String { folder + "/" + Self.fileName(id) }

    /// Returns the complete progress of a finished file.
    static func progress(of file: URL) -> TransferProgress {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        let bytes = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
        return TransferProgress(bytes: bytes, total: bytes)
    }

    private func recordPath(of id: String) -> String { folder + "/." + Self.fileName(id) + ".json" }

    /// Returns the record of a finished file. `nil` if there is no such file.
    func finished(_ id: String) -> Record? {
        guard FileManager.default.fileExists(atPath: path(of: id)),
            let data = FileManager.default.contents(atPath: recordPath(of: id)),
            let record = try? JSONDecoder().decode(Record.self, from: data), record.id == id
        else { return nil }
        return record
    }

    /// Moves a finished file into the folder. The move survives a power cut.
    ///
    /// - Throws: `Failure`, or an error of Foundation. The file then stays where it is.
    func add(_ source: String, as record: Record) throws {
        _ = try PrivateFolder(folder)
        try DurableFile.write(JSONEncoder().encode(record), to: recordPath(of: record.id))
        let target = path(of: record.id)
        if rename(source, target) != 0 {
            guard errno == EXDEV else { throw Failure() }
            // A sandboxed program's copy may be on another file system.
            let copy = recordPath(of: record.id) + ".copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: source, toPath: copy)
            try sync(copy)
            guard rename(copy, target) == 0 else { throw Failure() }
            try? FileManager.default.removeItem(atPath: source)
        }
        try sync(folder)
    }

    /// Removes a file and its record. Does nothing if there is none.
    func remove(_ id: String) throws {
        // Without its file, the record has no meaning, so the file goes first.
        for path in [path(of: id), recordPath(of: id)] {
            guard unlink(path) == 0 || errno == ENOENT else { throw Failure() }
        }
    }

    private func sync(_ path: String) throws {
        guard let file = OpenFile(path), fsync(file.number) == 0 else { throw Failure() }
    }

    /// Returns a name that is safe as a path component and differs for any two identifiers: neither hidden nor empty,
    /// and at most 200 bytes long.
    static func fileName(_ id: String) -> String {
        let name = id.utf8.enumerated().map { index, byte -> String in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                return String(UnicodeScalar(byte))
            case UInt8(ascii: ".") where index > 0: return "."
            default: return (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }.joined()
        // No escape begins with a percent sign and "-".
        guard name.utf8.count > 200 else { return name }
        return name.prefix(100) + "%-" + SHA256Digest.hexadecimal(of: Array(id.utf8))
    }
}

extension TaskName {
    /// Creates the name of a request. Two requests have the same fingerprint if and only if their methods, URLs, and
    /// bodies are equal.
    init(id: String, of request: RequestDescription) {
        let head = (request.method?.uppercased() ?? "GET") + "\0" + request.url + "\0"
        self.init(id: id, fingerprint: SHA256Digest.hexadecimal(of: Array(head.utf8) + (request.body ?? [])))
    }
}
