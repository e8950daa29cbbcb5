// SPDX-License-Identifier: Apache-2.0
import CProcess
import Dispatch
import Foundation
import Glibc
import LinuxKernel
import Synchronization
internal import TransferModel

/// A worker process as seen by its parent: its socket, its standard error, and its end.
final class WorkerProcess: Sendable {
    /// The end of a worker.
    struct End: Hashable, Sendable {
        /// A phrase such as `ended with status 0` or `was ended by signal 4 (Illegal instruction)`.
        var summary: String
        /// The end of the worker's output to standard error, at most 4096 bytes.
        var errorOutput: String
        /// The fault in the worker's messages, if the worker was ended because of an invalid message.
        var fault: String?
        /// A Boolean value that indicates whether the worker exited by itself with status 0 and without a fault.
        var isOrderly: Bool
    }

    let number: pid_t
    private let socket: OwnedSocket
    private let errors: Int32
    private let outbox: Outbox<WorkerOrder>
    /// The threads for the worker's disk operations.
    let files = FileThreads()
    /// Set once the process is reaped. From then on, its number may belong to another process.
    private let isReaped = Mutex(false)

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - program: The program to start.
    ///   - receive: A closure that receives the worker's messages in order, on the worker's own thread.
    ///   - ended: A closure that is called last, exactly once, after the process has exited. The files of the process
    ///     are closed and its locks are released by then.
    init(
        _ program: WorkerExecutable, receive: @escaping @Sendable (WorkerMessage) -> Void,
        ended: @escaping @Sendable (End) -> Void
    ) throws(WorkerError) {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw WorkerError("A worker's socket could not be created: \(String(cString: strerror(errno))).")
        }
        // The file is in memory and has no name, so it disappears together with both processes.
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
        let thread = Thread { [self] in ended(readUntilEnd(receive)) }
        thread.name = "transfer.worker"
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit {
        if errors >= 0 { close(errors) }
    }

    func post(_ order: WorkerOrder, with file: PassedFile? = nil) { outbox.post(order, with: file) }

    /// Sends the reply to a request. Blocks while the worker does not read its replies.
    func sendReply(_ id: TransferID, _ reply: FileReply, with file: PassedFile?) {
        outbox.post(.file(id, reply), with: file, limit: 1000)
    }

    /// Kills the process immediately, unless it has already exited.
    func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { _ = Glibc.kill(number, SIGKILL) }
        }
    }

    /// Reads messages until the end of the stream, and reaps the process.
    private func readUntilEnd(_ receive: (WorkerMessage) -> Void) -> End {
        var fault: String?
        do {
            try FrameReader.read(WorkerMessage.self, from: socket.number, longestFrame: WireFormat.longestMessage) {
                receive($0)
            }
        } catch {
            fault = "\(error)"
        }
        // The worker has closed the socket and is exiting. If not, nothing reads its messages anymore.
        socket.end()
        files.finish()
        let status = reap()
        return End(
            summary: Self.phrase(for: status), errorOutput: errorOutput(), fault: fault,
            isOrderly: status == 0 && fault == nil)
    }

    /// Reaps the process. Returns its `waitpid` status, or -1 if other code has already reaped the process.
    private func reap() -> Int32 {
        // An orderly exit takes a moment, and a crashed worker may be writing its core dump.
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

    private static func phrase(for status: Int32) -> String {
        if status == -1 { return "exited with an unknown status" }
        switch ChildProgram.End(rawStatus: status) {
        case .status(let number): return "exited with status \(number)"
        case .signal(let number): return "was killed by signal \(number) (\(String(cString: strsignal(number))))"
        }
    }

    private func errorOutput() -> String {
        var status = stat()
        guard errors >= 0, fstat(errors, &status) == 0, status.st_size > 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), 4096))
        let count = pread(errors, &bytes, bytes.count, status.st_size - off_t(bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Starting

    private static func start(_ program: WorkerExecutable, socket: Int32, errors: Int32) throws(WorkerError) -> pid_t {
        var child = ChildProgram(
            program.path, [program.name, WorkerProgram.argument],
            environment: environment(of: ProcessInfo.processInfo.environment))
        child.output = .null
        child.errors = errors >= 0 ? .file(errors) : .inherited
        child.passedFile = socket
        do {
            return try child.start()
        } catch {
            throw WorkerError("The worker process \(program.name) could not be started: \(error).")
        }
    }

    /// Moves a descriptor to a number of at least 16. The first numbers are reserved for the worker's own files.
    private static func movedUp(_ descriptor: Int32) -> Int32 {
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 16)
        guard moved >= 0 else { return descriptor }
        close(descriptor)
        return moved
    }

    /// The variables of a worker that this process's environment does not set.
    private static let variables = [
        // The backtrace of a known fault takes seconds and provides no new information.
        "SWIFT_BACKTRACE": "enable=no",
        // Freed blocks of bodies stay with the worker. The C library would give each block back to the system, whose
        // pages would then be cleared for the next block: 40,000 page faults for 1 GiB.
        "MALLOC_MMAP_THRESHOLD_": "\(4 << 20)", "MALLOC_TRIM_THRESHOLD_": "\(8 << 20)",
        "MALLOC_TOP_PAD_": "\(1 << 20)",
    ]

    /// The variables that a worker inherits: of libcurl and OpenSSL, of the C library, and of Swift's runtime. All others
    /// stay here, because a server that takes over a worker reads its environment, and tokens are often kept there.
    private static let inherited: Set = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE",
        "SSL_CERT_DIR", "CURL_CA_BUNDLE", "OPENSSL_CONF", "HOME", "PATH",
        "TMPDIR", "TZ", "TZDIR", "LANG", "LANGUAGE", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "GLIBC_TUNABLES",
    ]
    /// The last one belongs to the library that tests preload.
    private static let inheritedPrefixes = [
        "LC_", "LD_", "MALLOC_", "SWIFT_", "ASAN_", "TSAN_", "LSAN_", "UBSAN_", "FAULTY_DISK_",
    ]

    /// Returns the variables of a worker whose parent has these variables.
    static func environment(of parent: [String: String]) -> [String: String] {
        parent.filter { name, _ in inherited.contains(name) || inheritedPrefixes.contains { name.hasPrefix($0) } }
            .merging(variables) { own, _ in own }
    }
}

/// A limit on the reports of an attempt. A malicious worker can produce reports faster than they are read.
///
/// Reports beyond the limit are dropped. Later reports repeat the progress, and the end contains the final state.
struct ReportBudget: Sendable {
    /// The maximum number of reports in a burst. `perSecond` is the sustained rate; an attempt makes about ten
    /// reports per second.
    private static let maximumBurst = 4096
    private static let perSecond: UInt64 = 1000

    private var left = Self.maximumBurst
    private var filled: UInt64 = 0

    /// Counts a report. Returns `false` if the report exceeds the budget.
    ///
    /// - Parameter now: The current time in nanoseconds of a monotonic clock.
    mutating func accept(now: UInt64) -> Bool {
        let more = (now - min(filled, now)) / (1_000_000_000 / Self.perSecond)
        if more > 0 {
            left = min(Self.maximumBurst, left + Int(clamping: min(more, UInt64(Self.maximumBurst))))
            filled = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
