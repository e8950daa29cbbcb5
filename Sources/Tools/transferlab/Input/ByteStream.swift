// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The bytes of a file, of a URL, or of standard input, read in order.
///
/// Files that end in `.gz` or `.zst` are decompressed by the programs `gzip` and `zstd`, and URLs are fetched by `curl`, so
/// that transferlab links no library for them.
final class ByteStream {
    /// The path, for errors. A hyphen is standard input.
    let path: String
    private let descriptor: Int32
    /// The program that provides the bytes; `nil` if they are read directly.
    private let provider: Process?
    private var buffer: [UInt8] = []
    private var position = 0

    /// Opens a file or a URL. The path `-` is standard input.
    init(_ path: String) throws {
        self.path = path
        let decompressor = ["gz": "gzip", "tgz": "gzip", "zst": "zstd", "tzst": "zstd"][
            (path as NSString).pathExtension]
        if Self.isURL(path) {
            (descriptor, provider) = try Self.start(["curl", "-fsSL", "--", path], reading: nil, for: path)
        } else if path == "-" {
            (descriptor, provider) = (fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), nil)
        } else {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw Files.unreadable(path) }
            guard let decompressor else {
                (descriptor, provider) = (file, nil)
                return
            }
            defer { close(file) }
            (descriptor, provider) = try Self.start([decompressor, "-d", "-c"], reading: file, for: path)
        }
    }

    /// Whether a text is a URL that can be fetched.
    static func isURL(_ path: String) -> Bool { path.hasPrefix("http://") || path.hasPrefix("https://") }

    /// Starts a program, and returns the descriptor of its output.
    private static func start(
        _ words: [String], reading input: Int32?, for path: String
    ) throws -> (Int32, Process) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardInput =
            input.map { FileHandle(fileDescriptor: $0, closeOnDealloc: false) } ?? FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        do { try process.run() } catch { throw UsageError("cannot run \(words[0]) to read \(path): \(error)") }
        return (fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0), process)
    }

    deinit {
        close(descriptor)
        guard let provider else { return }
        provider.terminate()
        provider.waitUntilExit()
    }

    /// Reads the next bytes into the buffer. Returns `false` at the end.
    private func fill() throws -> Bool {
        guard position == buffer.count else { return true }
        position = 0
        var count = 0
        buffer = [UInt8](unsafeUninitializedCapacity: 1 << 16) { bytes, initialized in
            repeat {
                count = Foundation.read(descriptor, bytes.baseAddress, bytes.count)
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        if count < 0 { throw Files.unreadable(path) }
        if count == 0 { try checkProvider() }
        return count > 0
    }

    /// Checks that the program that provided the bytes succeeded.
    private func checkProvider() throws {
        guard let provider else { return }
        provider.waitUntilExit()
        let program = provider.arguments?[0] ?? ""
        switch provider.terminationStatus {
        case 0: return
        case 127: throw UsageError("\(path) needs the program \(program); install it")
        case _ where Self.isURL(path): throw UsageError("cannot fetch \(path); the reason is above")
        default: throw UsageError("\(path) is damaged: \(program) cannot decompress it")
        }
    }

    /// Returns at most `count` bytes. Returns fewer only at the end.
    func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, try fill() {
            let end = position + min(buffer.count - position, count - bytes.count)
            bytes += buffer[position..<end]
            position = end
        }
        return bytes
    }

    /// Passes over bytes.
    func skip(_ count: Int) throws {
        var rest = count
        while rest > 0, try fill() {
            let step = min(rest, buffer.count - position)
            position += step
            rest -= step
        }
    }

    /// Returns the next line without its end; `nil` at the end.
    func line() throws -> [UInt8]? {
        var line: [UInt8] = []
        while try fill() {
            let rest = buffer[position...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                position = end + 1
                return line
            }
            line += rest
            position = buffer.count
        }
        return line.isEmpty ? nil : line
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
