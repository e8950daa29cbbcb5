// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// A program that is started as a child process, with fresh signals and no open files but those that it is given.
///
/// Programs of this project ignore SIGPIPE, and threads of Dispatch block most signals: a child would inherit both. The
/// standard input of the child is empty.
/// ```swift
/// let sorter = ChildProgram("/usr/bin/env", ["env", "sort", file], environment: variables)
/// let status = ChildProgram.collect(try sorter.start())
/// ```
package struct ChildProgram: Sendable {
    /// A place that standard output or standard error leads to.
    package enum Output: Hashable, Sendable {
        /// The parent's own.
        case inherited
        /// `/dev/null`.
        case null
        /// An open file of the parent's.
        case file(Int32)
    }

    /// The group of processes in which the child runs.
    package enum Group: Hashable, Sendable {
        /// The parent's: a terminal's signals reach both.
        case parents
        /// A new one that the child leads.
        case own
        /// A new session: what ends the parent's terminal or group does not end the child.
        case ownSession
    }

    /// An end of a process.
    package enum End: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    /// A program that could not be started.
    package struct StartError: Error, CustomStringConvertible {
        let code: Int32

        /// The reason in the words of the system.
        package var description: String { String(cString: strerror(code)) }
    }

    private let path: String
    private let arguments: [String]
    private let environment: [String: String]
    /// The place of standard output. Default: the parent's.
    package var output = Output.inherited
    /// The place of standard error. Default: the parent's.
    package var errors = Output.inherited
    /// An open file of the parent's that the child finds under the number 3, the first after the standard ones; nil for none.
    package var passedFile: Int32?
    /// The group of processes in which the child runs. Default: the parent's.
    package var group = Group.parents

    /// The number of the passed file in the child.
    package static let passedFileNumber: Int32 = 3

    /// A program by its path; `arguments` begins with its name.
    package init(_ path: String, _ arguments: [String], environment: [String: String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts the program and returns the number of the process, which somebody has to collect.
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

    /// Waits for the end of a child without collecting it: its number stays taken.
    package static func awaitEnd(of process: Int32) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Waits for the end of a child and returns it; nil if somebody else collected the child.
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
    /// The end that a status of waitpid(2) tells.
    package init(rawStatus status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }
}
