// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import Foundation
import Glibc
import HTTPExecutor
import Synchronization
import TransferEngine
import TransferPolicy
import WorkerExecutor

/// The worker process: a `HTTPExecutor` that receives orders from its parent over a socket. The process exits
/// together with its parent.
public enum TransferWorker {
    /// Turns this process into a worker if it was started as one. In that case, never returns.
    ///
    /// Must be the first call in `main` of a program that is its own worker (`WorkerProgram.thisProgram`):
    ///
    /// ```swift
    /// TransferWorker.runIfCalled()
    /// // The program's own code follows.
    /// ```
    public static func runIfCalled() {
        guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == WorkerProgram.argument else { return }
        run()
    }

    /// Runs a worker until its parent shuts it down or exits.
    public static func run() -> Never {
        let descriptor = WireFormat.socketNumber
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 else {
            let message = "transfer-worker is started by its parent process and cannot be run directly.\n"
            FileHandle.standardError.write(Data(message.utf8))
            exit(2)
        }
        prepareProcess()
        let files = ReceivedFiles()
        let worker = Worker(socket: OwnedSocket(descriptor), files: files)
        do {
            try FrameReader.read(
                WorkerOrder.self, from: descriptor, longestFrame: WireFormat.longestFrame, files: files
            ) { try worker.carryOut($0) }
        } catch {
            FileHandle.standardError.write(Data("Invalid message from the parent process: \(error)\n".utf8))
            _exit(3)
        }
        // The parent is gone. The written bytes are in the page cache and remain valid within this boot, so the
        // process exits without waiting. A stuck thread cannot delay the exit.
        _exit(0)
    }

    /// Prepares the process: its name, its signals, its limit of open files, and its OOM score.
    private static func prepareProcess() {
        // A process that was started through a link in /proc would be named after the number in that link.
        if let file = fopen("/proc/self/comm", "w") {
            fputs("transfer-worker", file)
            fclose(file)
        }
        // A terminal sends signals to all its processes. The parent decides how to react.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        // If memory is short, the kernel should end this process first, because a worker can be restarted.
        if let file = fopen("/proc/self/oom_score_adj", "w") {
            fputs("500", file)
            fclose(file)
        }
    }
}

/// Carries out the parent's orders. Used on the reading thread.
private final class Worker {
    private let outbox: Outbox<WorkerMessage>
    private let files: ReceivedFiles
    private let channel: FileChannel
    private var executor: HTTPExecutor?

    init(socket: OwnedSocket, files: ReceivedFiles) {
        // If the parent does not read, transfers block at this limit instead of filling the memory.
        outbox = Outbox(socket: socket, label: "transfer.worker.messages", limit: 10_000)
        channel = FileChannel(outbox: outbox)
        self.files = files
    }

    func carryOut(_ order: WorkerOrder) throws {
        let file = order.hasDescriptor ? try files.next() : nil
        switch order {
        case .configure(let version, let configuration):
            try configure(configuration, version)
        case .start(let job, let prepared):
            guard let executor else { throw WireError("a transfer arrived before the configuration") }
            let outbox = outbox
            let files = RemoteFiles(job.id, prepared, file, channel: channel)
            executor.start(job, files: files) { outbox.post(.report(job.id, $0), isHeld: true) }
        case .file(let id, let reply):
            channel.deliver(id, reply, file)
        case .stop(let id):
            executor?.stop(id)
        case .discard(let job):
            executor?.discard(job)
        case .limits(let limits):
            executor?.setLimits(limits)
        case .probe(let number):
            let outbox = outbox
            executor?.probe { outbox.post(.probed(number)) }
        case .shutDown:
            let (executor, outbox) = (executor, outbox)
            Task {
                await executor?.shutdown()
                outbox.flush()
                _exit(0)
            }
        }
    }

    private func configure(_ configuration: HTTPExecutorConfiguration, _ version: Int) throws {
        guard version == WireFormat.version else {
            outbox.post(
                .unusable(
                    message: "The worker program and the program that started it have different versions. "
                        + "Install both from the same release."))
            return
        }
        // The process has a single thread and has processed no outside data yet. The path of the certificates is
        // known only now.
        let confinement = WorkerConfinement.apply(caFile: configuration.caFile)
        do {
            let outbox = outbox
            executor = try HTTPExecutor(configuration: configuration, transport: .curl) { outbox.sendHeld() }
            outbox.post(.ready(version: WireFormat.version, confinement))
        } catch {
            outbox.post(.unusable(message: error.message))
        }
    }
}
