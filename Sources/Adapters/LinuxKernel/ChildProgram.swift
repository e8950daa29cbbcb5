// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// A program that runs as a child process, with default signal handling and no open files except those that it is
/// given.
///
/// Programs of this project ignore SIGPIPE, and Dispatch's threads block most signals; a child would inherit both. The
/// child's standard input is empty.
///
/// ```swift
/// let sorter = ChildProgram("/usr/bin/env", ["env", "sort", file], environment: variables)
/// let status = ChildProgram.collect(try sorter.start())
/// ```
package struct ChildProgram: Sendable {
    /// A destination of standard output or standard error.
    package enum Output: Hashable, Sendable {
        /// The parent's own output.
        case inherited
        /// The file `/dev/null`.
        case null
        /// An open file of the parent.
        case file(Int32)
    }

    /// The process group in which the child runs.
    package enum Group: Hashable, Sendable {
        /// The parent's group. Signals from a terminal reach both processes.
        case parents
        /// A new group that the child leads.
        case own
        /// A new session. Signals to the parent's terminal or group do not reach the child.
        case ownSession
    }

    /// The end of a process: its exit status, or the signal that ended it.
    package enum End: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    /// An error in starting a program.
    package struct StartError: Error, CustomStringConvertible {
        let code: Int32

        /// The reason, as the system describes it.
        package var description: String { String(cString: strerror(code)) }
    }

    private let path: String
    private let arguments: [String]
    private let environment: [String: String]
    /// The destination of standard output. Default: the parent's.
    package var output = Output.inherited
    /// The destination of standard error. Default: the parent's.
    package var errors = Output.inherited
    /// An open file of the parent that the child receives as descriptor 3, the first after the standard ones; `nil` for
    /// none.
    package var passedFile: Int32?
    /// The process group in which the child runs. Default: the parent's.
    package var group = Group.parents

    /// The descriptor of the passed file in the child.
    package static let passedFileNumber: Int32 = 3

    /// Creates a program with a path. The first element of `arguments` is the program's name.
    package init(_ path: String, _ arguments: [String], environment: [String: String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts the program and returns the process identifier. The caller must collect the process with
    /// ``collect(_:)``.
    package func start() throws(StartError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        direct(errors, to: STDERR_FILENO, &actions)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        direct(output, to: STDOUT_FILENO, &actions)
        if let passedFile { posix_spawn_file_actions_adddup2(&actions, passedFile, Self.passedFileNumber) }
        transfer_close_from(&actions, passedFile == nil ? Self.passedFileNumber : Self.passedFileNumber + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignalsAndGroup(&attributes)
        var words = arguments.map { strdup($0) } + [nil]
        var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in words + variables { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw StartError(code: code) }
        return process
    }

    /// Waits for the end of a child without collecting it. The process identifier stays in use.
    package static func awaitEnd(of process: Int32) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Waits for the end of a child, collects it, and returns its end; `nil` if the child was already collected.
    package static func collect(_ process: Int32) -> End? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return End(rawStatus: status)
    }

    private func direct(_ output: Output, to number: Int32, _ actions: inout posix_spawn_file_actions_t) {
        switch output {
        case .inherited: break
        case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
        case .file(let file): posix_spawn_file_actions_adddup2(&actions, file, number)
        }
    }

    private func setSignalsAndGroup(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        switch group {
        case .parents: break
        case .own:
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= Int16(POSIX_SPAWN_SETPGROUP)
        case .ownSession: flags |= transfer_own_session_flag()
        }
        posix_spawnattr_setflags(&attributes, flags)
    }
}

extension ChildProgram.End {
    /// Decodes a status of waitpid(2).
    package init(rawStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }
}
