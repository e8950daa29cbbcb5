// SPDX-License-Identifier: Apache-2.0
import CProcess
import Foundation
import Synchronization

/// A child process that is signaled and killed by its process id only. Its signals have their default actions, and it
/// inherits no open files.
package final class ChildProcess: Sendable {
    package let id: Int32
    /// The end of the process, to wait for.
    package let ending: Watch
    private let status = Mutex<Int32?>(nil)

    /// Starts `program` without input, and redirects its output to files. Errors go to `errors`, or to `output` if `errors`
    /// is `nil`.
    package convenience init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], output: String,
        errors: String? = nil, directory: String? = nil
    ) throws {
        // `env -C` changes the folder and then becomes the program, so the process id stays the same.
        let words = (directory.map { ["/usr/bin/env", "-C", $0] } ?? []) + [program] + arguments
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
        let files = [
            open("/dev/null", O_RDONLY | O_CLOEXEC), open(output, flags, 0o600), open(errors ?? output, flags, 0o600),
        ]
        defer { for file in files { close(file) } }
        guard files.allSatisfy({ $0 >= 0 }) else { throw FixtureError("cannot write \(output)") }
        try self.init(words, environment: environment, input: files[0], output: files[1], errors: files[2])
    }

    /// Starts a program whose input, output, and errors are open files of this process.
    package init(
        _ words: [String], environment: [String: String], input: Int32, output: Int32, errors: Int32
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in [input, output, errors].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, file, Int32(number))
        }
        // A child that keeps another process's pipe open hides its end from the reader.
        transfer_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A shell without job control ignores SIGINT, and Dispatch's threads block most signals. A child would inherit both.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argv = words.map { strdup($0) } + [nil]
        var envp = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], &actions, &attributes, &argv, &envp)
        // Until the child is collected below, its id stays in use.
        guard code == 0, let end = Watch.end(of: process) else {
            throw FixtureError("cannot start \(words): \(String(cString: strerror(code == 0 ? errno : code)))")
        }
        (id, ending) = (process, end)
    }

    deinit { end() }

    package func signal(_ number: Int32) { kill(id, number) }

    /// The exit status, or the negated number of the signal that ended the process, or `nil` while the process runs.
    package var exitStatus: Int32? { collect(WNOHANG) }

    private func collect(_ options: Int32) -> Int32? {
        status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            guard waitpid(id, &raw, options) == id else { return nil }
            status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
            return status
        }
    }

    /// Waits until the process has ended, and returns its exit status.
    @discardableResult
    package func wait(within seconds: Double) async throws -> Int32 {
        try await waitUntil("process \(id) has ended", within: seconds, watching: ending) { exitStatus != nil }
        return exitStatus ?? 0
    }

    /// Waits on this thread until the process has ended, and returns its exit status.
    ///
    /// For the conditions of suites, which are evaluated before the first test starts.
    package func waitOnThisThread() -> Int32 { collect(0) ?? 0 }

    /// Kills the process if it still runs, and waits for its end.
    package func end() {
        guard exitStatus == nil else { return }
        kill(id, SIGKILL)
        _ = collect(0)
    }
}
