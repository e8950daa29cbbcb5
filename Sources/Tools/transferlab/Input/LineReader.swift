// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The lines of a file or of standard input, read one after another.
final class LineReader {
    private let path: String
    private let file: UnsafeMutablePointer<FILE>
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0

    /// Opens a file. The path `-` is standard input.
    init(_ path: String) throws {
        let file = path == "-" ? fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), "r") : fopen(path, "re")
        guard let file else { throw Files.unreadable(path) }
        (self.path, self.file) = (path, file)
    }

    deinit {
        fclose(file)
        free(buffer)
    }

    /// Returns the next line without its end; `nil` at the end.
    func line() throws -> [UInt8]? {
        let count = getline(&buffer, &capacity, file)
        guard count >= 0, let buffer else {
            if ferror(file) != 0 { throw Files.unreadable(path) }
            return nil
        }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
        return Array(bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...])
    }

    /// Returns the next line that is not blank as text, without spaces at its ends; `nil` at the end.
    func word() throws -> String? {
        while let line = try line() {
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { return text }
        }
        return nil
    }
}
