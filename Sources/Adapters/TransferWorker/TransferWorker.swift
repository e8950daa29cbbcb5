// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization
import TransferEngine
import TransferPolicy
import URLSessionExecutor
import WorkerExecutor

/// The worker process: a `URLSessionExecutor` that takes orders from its parent over a socket and ends with it.
public enum TransferWorker {
    /// Makes this process a worker where it was started as one, and does not return then.
    ///
    /// Call it first of all in `main` of a program that is its own worker (``WorkerProgram/thisProgram``).
    public static func runIfCalled() {
        guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == WorkerProgram.argument else { return }
        run()
    }

    /// Runs a worker until its parent lets it go.
    public static func run() -> Never {
        let descriptor = WireForm.socketNumber
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 else {
            FileHandle.standardError.write(Data("This program is started by others, not by hand.\n".utf8))
            exit(2)
        }
        settle()
        let files = ReceivedFiles()
        let worker = Worker(socket: OwnedSocket(descriptor), files: files)
        do {
            try Inbox.read(
                WorkerOrder.self, from: descriptor, longestFrame: WireForm.longestFrame, files: files
            ) { try worker.carryOut($0) }
        } catch {
            FileHandle.standardError.write(Data("An order could not be understood: \(error)\n".utf8))
            _exit(3)
        }
        // The parent is gone. What was written is in the file system's hands and counts within this boot, so nothing
        // needs to be waited for, and a stuck thread cannot hold the end up.
        _exit(0)
    }

    /// What a process of its own needs.
    private static func settle() {
        // Started through a link in /proc, it would be called by the number in that.
        if let file = fopen("/proc/self/comm", "w") {
            fputs("transfer-worker", file)
            fclose(file)
        }
        // A terminal's signals go to all its processes: the parent decides what they mean.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        // Short of memory, the kernel should rather end this process, which can be had again.
        if let file = fopen("/proc/self/oom_score_adj", "w") {
            fputs("500", file)
            fclose(file)
        }
    }
}

/// Carries orders out; used on the reading thread.
private final class Worker {
    private let outbox: Outbox<WorkerMessage>
    private let files: ReceivedFiles
    private let channel: FileChannel
    private var executor: URLSessionExecutor?

    init(socket: OwnedSocket, files: ReceivedFiles) {
        // A parent that does not read holds the transfers up at some point, rather than filling our memory.
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
            guard let executor else { throw WireError("a transfer came before the configuration") }
            let outbox = outbox
            let files = RemoteFiles(job.id, prepared, file, channel: channel)
            executor.start(job, files: files) { outbox.post(.report(job.id, $0)) }
        case .file(let id, let reply):
            channel.answered(id, reply, file)
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

    private func configure(_ configuration: URLSessionExecutorConfiguration, _ version: Int) throws {
        guard version == WireForm.version else {
            outbox.post(
                .unusable(
                    message: "The worker program is of another version than the program that started it: "
                        + "install both from the same release."))
            return
        }
        // Before there is another thread, and anything from outside. The certificates' path is known from here on.
        let confinement = WorkerConfinement.apply(caFile: configuration.caFile)
        do {
            let made = try URLSessionExecutor(configuration: configuration)
            executor = made
            outbox.post(
                .ready(
                    version: WireForm.version, isRepaired: made.isRepaired, warning: made.repairWarning, confinement))
        } catch {
            outbox.post(.unusable(message: error.message))
        }
    }
}
