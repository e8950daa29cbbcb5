// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// The files that the translation of a command line reads and writes.
enum PersonalityFiles {
    /// Translates a command line of an imitated program.
    ///
    /// - Throws: `UsageError` that names the error and its remedy.
    static func translate(_ arguments: [String], _ personality: Personality) throws -> Personality.Translation {
        try personality.translate(
            arguments, version: "\(SoftwareVersion.current)", readFile: { try TextFile.read($0, option: "input-file") },
            makeFile: makeFile)
    }

    /// Writes a text to a file without a name, and returns a path that lasts as long as this process.
    private static func makeFile(_ text: String) throws -> String {
        var path = Array((NSTemporaryDirectory() + "/transferctl-XXXXXX").utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw UsageError("cannot write a temporary file: \(String(cString: strerror(errno)))") }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        unlink(path)
        try FileHandle(fileDescriptor: file).write(contentsOf: Data(text.utf8))
        return "/proc/self/fd/\(file)"
    }
}
