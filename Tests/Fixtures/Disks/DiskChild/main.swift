// SPDX-License-Identifier: Apache-2.0
import Glibc

// Executes the file operations in its arguments one after another. Prints the result of each: 0 or an error number.
//
// Operations: `write PATH OFFSET TEXT`, `cut PATH SIZE`, `sync PATH`, `sync-folder PATH`, `rename OLD NEW`, `remove
// PATH`, and `link TARGET PATH`.

func opened(_ path: String, _ flags: Int32) -> Int32 { open(path, flags | O_CLOEXEC, 0o600) }

func withFile(_ path: String, _ flags: Int32, _ body: (Int32) -> Int) -> Int {
    let descriptor = opened(path, flags)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    return body(descriptor)
}

func write(_ text: String, to path: String, at offset: Int) -> Int {
    withFile(path, O_WRONLY | O_CREAT) { descriptor in
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
            }
            guard count > 0 else { return -1 }
            done += count
        }
        return 0
    }
}

/// Executes the next operation and removes its words.
func perform(_ words: inout ArraySlice<String>) -> Int {
    func next() -> String { words.popFirst() ?? "" }
    switch next() {
    case "write":
        let (path, offset, text) = (next(), Int(next()) ?? 0, next())
        return write(text, to: path, at: offset)
    case "cut":
        let (path, size) = (next(), Int(next()) ?? 0)
        return withFile(path, O_WRONLY) { Int(ftruncate($0, off_t(size))) }
    case "sync": return withFile(next(), O_WRONLY) { Int(fdatasync($0)) }
    case "sync-folder": return withFile(next(), O_RDONLY | O_DIRECTORY) { Int(fsync($0)) }
    case "rename": return Int(rename(next(), next()))
    case "remove": return Int(unlink(next()))
    case "link": return Int(symlink(next(), next()))
    default: exit(2)
    }
}

var words = CommandLine.arguments.dropFirst()
while !words.isEmpty {
    errno = 0
    let result = perform(&words)
    print(result < 0 ? errno : 0)
}
