// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// An obstacle to a test's setup, not a failure of the program under test.
struct TestSetupError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Waits for `condition` by polling it every 2 ms. The programs under test offer no other signal.
func waitUntil(_ what: String, within seconds: Double, _ condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            throw TestSetupError("timed out after \(seconds) s, waiting until: \(what)")
        }
        usleep(2_000)
    }
}

/// A temporary folder for a single test. Removed when the last reference is released.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array((NSTemporaryDirectory() + "transfer-test-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw TestSetupError("cannot create a temporary folder") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A child process that is signaled and killed by its process id only.
final class ChildProcess: Sendable {
    let id: pid_t
    private let status = Mutex<Int32?>(nil)

    /// Starts `program` and redirects its output to files. Errors go to `errors`, or to `output` if `errors` is `nil`.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], output: String,
        errors: String? = nil, directory: String? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors ?? output, flags, 0o600)
        Self.closeInherited(&actions)
        // `env -C` changes the folder and then becomes the program, so the process id stays the same.
        let words = (directory.map { ["/usr/bin/env", "-C", $0] } ?? []) + [program] + arguments
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argv = words.map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.resetSignals(&attributes)
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw TestSetupError("cannot start \(program): \(String(cString: strerror(code)))") }
        id = pid
    }

    deinit { end() }

    /// Resets the signals that a shell without job control ignores, such as SIGINT. A child would inherit the
    /// setting.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    }

    /// Closes all inherited descriptors from 3 on. A child that keeps another process's pipe open hides its end from
    /// the reader.
    private static func closeInherited(_ actions: inout posix_spawn_file_actions_t) {
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        // glibc has had the function since version 2.34. Swift's import of the glibc headers does not show it.
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
        _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
    }

    func signal(_ number: Int32) { kill(id, number) }

    /// The exit status, or the negated number of the signal that ended the process, or `nil` while the process runs.
    var exitStatus: Int32? {
        status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            guard waitpid(id, &raw, WNOHANG) == id else { return nil }
            status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
            return status
        }
    }

    /// Waits until the process has ended, and returns its exit status.
    @discardableResult
    func wait(within seconds: Double) throws -> Int32 {
        try waitUntil("process \(id) has ended", within: seconds) { exitStatus != nil }
        return exitStatus ?? 0
    }

    /// Kills the process if it still runs, and waits for its end.
    func end() {
        guard exitStatus == nil else { return }
        kill(id, SIGKILL)
        while exitStatus == nil { usleep(1_000) }
    }
}

/// A maker of files with random bytes that a seed determines.
enum RandomFile {
    static func write(_ path: String, bytes: Int, seed: UInt64) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw TestSetupError("\(path) cannot be written") }
        defer { try? file.close() }
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var left = bytes
        while left > 0 {
            var words = [UInt64](repeating: 0, count: 1 << 17)
            for index in words.indices {
                // xorshift64 (Marsaglia 2003): fast, and no two blocks are alike.
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                words[index] = state
            }
            let block = words.withUnsafeBytes { Data($0.prefix(left)) }
            try file.write(contentsOf: block)
            left -= block.count
        }
    }

    /// Returns whether two files have the same bytes.
    static func same(_ left: String, _ right: String) -> Bool {
        FileManager.default.contentsEqual(atPath: left, andPath: right)
    }
}
