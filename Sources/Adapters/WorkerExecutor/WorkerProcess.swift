// SPDX-License-Identifier: Apache-2.0
import CProcess
import Dispatch
import Foundation
import Glibc
import LinuxKernel
import Synchronization
internal import TransferModel

/// A worker process, as its parent has it: its socket, what it writes to standard error, and its end.
final class WorkerProcess: Sendable {
    /// How a worker ended.
    struct End: Hashable, Sendable {
        /// `ended with status 0`, `was ended by signal 4 (Illegal instruction)` and the like.
        var how: String
        /// The last it wrote to standard error.
        var lastWords: String
        /// What it sent that was no message, if that is why it was ended.
        var fault: String?
        /// Whether it ended by itself and in order.
        var isOrderly: Bool
    }

    let number: pid_t
    private let socket: OwnedSocket
    private let errors: Int32
    private let outbox: Outbox<WorkerOrder>
    /// Where what the worker asks of disks is done.
    let files = FileThreads()
    /// Its number may be another process's from then on.
    private let isReaped = Mutex(false)

    /// Starts the program.
    ///
    /// `receive` is called on a thread of the worker's own, in order; `ended` once and last, when the process is no
    /// more: its files are closed and its locks released.
    init(
        _ program: WorkerExecutable, receive: @escaping @Sendable (WorkerMessage) -> Void,
        ended: @escaping @Sendable (End) -> Void
    ) throws(WorkerError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw WorkerError("No socket for a worker process can be had: \(String(cString: strerror(errno))).")
        }
        // In memory and without a name: it is gone with the two of us.
        errors = Self.movedUp(transfer_anonymous_file("transfer-worker-errors"))
        let (mine, theirs) = (pair[0], Self.movedUp(pair[1]))
        defer { close(theirs) }
        do {
            number = try Self.start(program, socket: theirs, errors: errors)
        } catch {
            close(mine)
            if errors >= 0 { close(errors) }
            throw error
        }
        socket = OwnedSocket(mine)
        outbox = Outbox(socket: socket, label: "transfer.worker.orders")
        let thread = Thread { [self] in ended(live(receive)) }
        thread.name = "transfer.worker"
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit {
        if errors >= 0 { close(errors) }
    }

    func post(_ order: WorkerOrder, with file: PassedFile? = nil) { outbox.post(order, with: file) }

    /// Answers a request, and waits while the worker does not read what it asked for.
    func answer(_ id: TransferID, _ reply: FileReply, with file: PassedFile?) {
        outbox.post(.file(id, reply), with: file, limit: 1000)
    }

    /// Ends it at once, if it has not ended.
    func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { _ = Glibc.kill(number, SIGKILL) }
        }
    }

    /// Reads to the end, and sees the process off.
    private func live(_ receive: (WorkerMessage) -> Void) -> End {
        var fault: String?
        do {
            try Inbox.read(WorkerMessage.self, from: socket.number, longestFrame: WireForm.longestMessage) {
                receive($0)
            }
        } catch {
            fault = "\(error)"
        }
        // It has closed the socket, so it ends; if not, nobody listens to it any more.
        socket.end()
        files.finish()
        let status = reap()
        return End(
            how: Self.words(for: status), lastWords: lastWords(), fault: fault, isOrderly: status == 0 && fault == nil)
    }

    /// The status as `waitpid` has it; -1 where somebody else took it.
    private func reap() -> Int32 {
        // An orderly worker needs a moment to exit, one that crashed may be writing its core.
        for round in 0..<1000 {
            if let status = reapIfEnded() { return status }
            usleep(round < 100 ? 200 : 5000)
        }
        kill()
        while true {
            if let status = reapIfEnded() { return status }
            usleep(5000)
        }
    }

    private func reapIfEnded() -> Int32? {
        isReaped.withLock { isReaped in
            var status: Int32 = 0
            let result = waitpid(number, &status, WNOHANG)
            if result == 0 || result < 0 && errno == EINTR { return nil }
            isReaped = true
            return result == number ? status : -1
        }
    }

    private static func words(for status: Int32) -> String {
        if status == -1 { return "ended, nobody knows how" }
        switch ChildProgram.End(rawStatus: status) {
        case .status(let number): return "ended with status \(number)"
        case .signal(let number): return "was ended by signal \(number) (\(String(cString: strsignal(number))))"
        }
    }

    private func lastWords() -> String {
        var status = stat()
        guard errors >= 0, fstat(errors, &status) == 0, status.st_size > 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), 4096))
        let count = pread(errors, &bytes, bytes.count, status.st_size - off_t(bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Starting

    private static func start(_ program: WorkerExecutable, socket: Int32, errors: Int32) throws(WorkerError) -> pid_t {
        var child = ChildProgram(program.path, [program.name, WorkerProgram.argument], environment: childEnvironment())
        child.output = .null
        child.errors = errors >= 0 ? .file(errors) : .inherited
        child.passedFile = socket
        do {
            return try child.start()
        } catch {
            throw WorkerError("The worker process \(program.name) could not be started: \(error).")
        }
    }

    /// The same file under a number that is none of the first ones, which the worker's own files take.
    private static func movedUp(_ descriptor: Int32) -> Int32 {
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 16)
        guard moved >= 0 else { return descriptor }
        close(descriptor)
        return moved
    }

    /// Ours, but a crash is to be quick: the backtrace of a known fault takes seconds and tells nothing new.
    private static func childEnvironment() -> [String: String] {
        var values = ProcessInfo.processInfo.environment
        if values["SWIFT_BACKTRACE"] == nil { values["SWIFT_BACKTRACE"] = "enable=no" }
        return values
    }
}
