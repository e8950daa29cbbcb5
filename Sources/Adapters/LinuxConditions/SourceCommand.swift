// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc
import LinuxKernel

/// A run of a command of the user that gives prices or a value.
///
/// The command runs without a shell, in a process group of its own. The whole group ends with the output, after the
/// time limit, or with this object. Standard error is discarded. Used on one executor's thread only, which never waits
/// for the end of a process: one in the kernel, or of another user, may not end.
final class SourceCommand {
    private let name: String
    private let sizeLimit: Int
    private let executor: GLibExecutor
    private var deliver: ((SourceContent) -> Void)?
    /// The content to deliver if the command succeeds.
    private var content: SourceContent?
    private var process: Int32?
    private var descriptor: Int32 = -1
    private var output: [UInt8] = []
    private var source: GLibSource?
    private var limit: GLibSource?
    /// Whether the process has ended, so that the command may run again.
    private(set) var hasEnded = false
    private let owner = Owner()

    /// Starts a run.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - name: The name of the source in errors.
    ///   - timeLimit: The maximum duration of the run.
    ///   - sizeLimit: The maximum size of the output in bytes. More output ends the command.
    ///   - executor: The executor of the caller.
    ///   - deliver: Receives the result once, never before the initializer returns.
    init(
        _ words: [String], name: String, timeLimit: Duration = .seconds(30),
        sizeLimit: Int = SourceContent.sizeLimit, on executor: GLibExecutor,
        deliver: @escaping (SourceContent) -> Void
    ) {
        (self.name, self.sizeLimit, self.executor, self.deliver) = (name, sizeLimit, executor, deliver)
        owner.command = self
        if let problem = start(words, on: executor) {
            source = executor.whenIdle { [weak self] in
                self?.hasEnded = true
                self?.finish(problem)
            }
        } else {
            limit = executor.after(milliseconds: timeLimit.timerMilliseconds) { [weak self] in
                self?.endProcess()
                self?.finish("did not end within \(timeLimit.components.seconds) s")
            }
        }
    }

    deinit { end() }

    /// Ends the command and its process group without a result.
    func end() {
        deliver = nil
        endProcess()
    }

    /// Starts the program and returns the problem if that fails.
    private func start(_ words: [String], on executor: GLibExecutor) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let program = words.first ?? ""
        guard let path = Self.path(of: program, environment) else {
            return "cannot be started: no program '\(program)'"
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "cannot be started: no pipe" }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The program expects an output that blocks.
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var child = ChildProgram(path, words, environment: environment)
        (child.output, child.errors, child.group) = (.file(ends[1]), .null, .own)
        do {
            process = try child.start()
        } catch {
            close(ends[0])
            return "cannot be started: \(error)"
        }
        descriptor = ends[0]
        source = executor.watch(descriptor: descriptor) { [weak self] in self?.read() }
        return nil
    }

    /// Reads the output that has arrived.
    private func read() {
        var block = [UInt8](repeating: 0, count: 1 << 14)
        while output.count <= sizeLimit {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { break }
            output += block[..<count]
        }
        endProcess()
        // A command that writes too much has not ended by itself.
        guard output.count <= sizeLimit else { return finish("writes more than \(sizeLimit >> 10) KiB") }
        guard let text = String(validating: output, as: UTF8.self) else {
            return finish("writes text that is not UTF-8")
        }
        content = SourceContent(name: name, text: text)
    }

    /// Ends what is left of the command. Its end is collected on another thread.
    private func endProcess() {
        source?.cancel()
        source = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        guard let process else { return }
        self.process = nil
        kill(-process, SIGKILL)
        let (owner, executor) = (owner, executor)
        Thread.detachNewThread {
            let end = ChildProgram.collect(process)
            executor.perform { owner.receive(end) }
        }
    }

    private func receive(_ end: ChildProgram.End?) {
        hasEnded = true
        switch end {
        case .status(0), .signal(SIGKILL), nil:  // A command may close its output before it ends.
            if let content { report(content) }
        case .status(let number): finish("ended with status \(number)")
        case .signal(let number): finish("was ended by signal \(number)")
        }
    }

    private func finish(_ problem: String) { report(SourceContent(name: name, problem: problem)) }

    private func report(_ content: SourceContent) {
        limit = nil
        let deliver = deliver
        self.deliver = nil
        deliver?(content)
    }

    /// Passes the end of a process from the thread that collected it.
    private final class Owner: @unchecked Sendable {
        // Guard for `@unchecked`: used on the executor's thread only.
        weak var command: SourceCommand?

        func receive(_ end: ChildProgram.End?) { command?.receive(end) }
    }

    /// Returns the path of a program, looked up in `PATH` if the name has no slash.
    private static func path(of name: String, _ environment: [String: String]) -> String? {
        guard !name.isEmpty else { return nil }
        if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
        let folders = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
