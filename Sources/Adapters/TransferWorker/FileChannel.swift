// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import Synchronization
import TransferFiles
internal import TransferModel
import WorkerExecutor

/// A worker's connection to the files of its parent. Sends requests and delivers replies to the waiting callers.
final class FileChannel: Sendable {
    private final class Waiter: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let reply = Mutex<(FileReply, OwnedDescriptor?)?>(nil)
    }
    private let outbox: Outbox<WorkerMessage>
    private let waiters = Mutex<[TransferID: Waiter]>([:])

    init(outbox: Outbox<WorkerMessage>) { self.outbox = outbox }

    func send(_ request: FileRequest, of id: TransferID) { outbox.post(.file(id, request)) }

    /// Sends a request to the parent and waits for the reply. The process exits if the parent is gone.
    func sendAndWait(_ request: FileRequest, of id: TransferID) -> (FileReply, OwnedDescriptor?) {
        let waiter = Waiter()
        waiters.withLock { $0[id] = waiter }
        send(request, of: id)
        waiter.semaphore.wait()
        return waiter.reply.withLock { $0 } ?? (.changed, nil)
    }

    /// Delivers a reply to the waiting caller. Called on the reading thread.
    func deliver(_ id: TransferID, _ reply: FileReply, _ file: OwnedDescriptor?) {
        guard let waiter = waiters.withLock({ $0.removeValue(forKey: id) }) else { return }
        waiter.reply.withLock { $0 = (reply, file) }
        waiter.semaphore.signal()
    }
}

/// The files of an attempt in a worker. The parent performs the operations.
final class RemoteFiles: AttemptFiles {
    private let id: TransferID
    private let prepared: PreparedFiles
    private let source: OwnedDescriptor?
    private let channel: FileChannel
    private let opened = Mutex<ServerFile?>(nil)

    init(_ id: TransferID, _ prepared: PreparedFiles, _ source: OwnedDescriptor?, channel: FileChannel) {
        self.id = id
        self.prepared = prepared
        self.source = source
        self.channel = channel
    }

    func prepare() -> (PreparedFiles, OwnedDescriptor?) { (prepared, source) }

    func open(for server: ServerFile) throws(FileFailure) -> PartialFile {
        opened.withLock { $0 = server }
        switch channel.sendAndWait(.open(server), of: id) {
        case (.opened(let path), let file?):
            return PartialFile(descriptor: file, path: path)
        case (.failed(let failure), _):
            throw failure
        default:
            throw FileFailure("open", "the partial file", code: EPROTO)
        }
    }

    func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile? {
        let changedServerFile = opened.withLock { $0 == server ? nil : server }
        return try file.whileOthersSync { () throws(FileFailure) in
            switch channel.sendAndWait(.adopt(changedServerFile, size: size), of: id).0 {
            case .adopted(let completed): return completed
            case .failed(let failure): throw failure
            case .changed, .opened: return nil
            }
        }
    }

    func remove(_ file: PartialFile?) { channel.send(.remove, of: id) }
}
