// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads of the short text files that sysfs is made of.
enum SmallFile {
    /// What reading gave.
    enum Content: Hashable {
        /// The text without white space at its ends.
        case text(String)
        /// The system's error number.
        case failed(Int32)
    }

    /// The file's text without white space at its ends; nil when it cannot be read.
    ///
    /// Reads 4 KiB at most.
    static func text(_ path: String) -> String? {
        if case .text(let text) = content(path) { text } else { nil }
    }

    /// The same, with what was wrong.
    static func content(_ path: String) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
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

    /// The last `length` bytes of a file at most; nil when it cannot be read.
    static func end(of path: String, length: Int) -> [UInt8]? {
        // A pipe in the place of a file must not hold us up.
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

    /// When a file was last written, in seconds since 1970; nil where there is none.
    static func modificationTime(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_mtim.tv_sec) : nil
    }

    /// The names in a folder, sorted, `.` and `..` left out; nil when it cannot be read.
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

    /// The last part of where a symbolic link points; nil when it is none.
    static func linkTarget(_ path: String) -> String? {
        var characters = [CChar](repeating: 0, count: 4096)
        let count = readlink(path, &characters, characters.count)
        guard count > 0 else { return nil }
        let bytes = characters[..<count].map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "/").last.map(String.init)
    }

    /// Whether something is there.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
