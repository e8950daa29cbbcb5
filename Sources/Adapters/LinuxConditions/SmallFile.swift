// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Functions that read short text files, such as those in sysfs.
enum SmallFile {
    /// The result of reading a file.
    enum Content: Hashable {
        /// The text, without leading and trailing white space.
        case text(String)
        /// The system's error number.
        case failed(Int32)
    }

    /// Returns the file's text, without leading and trailing white space; `nil` if the file cannot be read.
    ///
    /// Reads at most 4 KiB.
    static func text(_ path: String) -> String? {
        if case .text(let text) = content(path) { text } else { nil }
    }

    /// Returns the file's text, or the system's error number if the file cannot be read. Reads at most 4 KiB.
    static func content(_ path: String) -> Content {
        // Nonblocking, so that a pipe in place of the file cannot block this thread.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failed(errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return .failed(errno) }
        let blanks: Set<UInt8> = [0, 9, 10, 13, 32]
        let trimmed = bytes[..<count].drop { blanks.contains($0) }
        let end = trimmed.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? trimmed.startIndex
        return .text(String(decoding: trimmed[..<end], as: UTF8.self))
    }

    /// Returns at most the last `length` bytes of a file; `nil` if the file cannot be read.
    static func end(of path: String, length: Int) -> [UInt8]? {
        // Nonblocking, so that a pipe in place of the file cannot block this thread.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        lseek(descriptor, max(lseek(descriptor, 0, SEEK_END) - length, 0), SEEK_SET)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count < length {
            let count = read(descriptor, &block, min(block.count, length - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += block[..<count]
        }
        return bytes
    }

    /// Returns the names in a folder, sorted, without `.` and `..`; `nil` if the folder cannot be read.
    static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the last component of a symbolic link's target; `nil` if the path is not a symbolic link.
    static func linkTarget(_ path: String) -> String? {
        var characters = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &characters, characters.count)
        guard count > 0 else { return nil }
        let bytes = characters[..<count].map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "/").last.map(String.init)
    }

    /// Returns whether a file or folder exists at the path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
