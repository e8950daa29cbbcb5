// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import Synchronization
import TransferFiles
internal import TransferModel
import WorkerExecutor

/// A worker's connection to the files of its parent. Sends requests and delivers answers to the waiting callers.
final class FileChannel: Sendable {
    private final class Waiter: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
        let answer = Mutex<(FileReply, OwnedDescriptor?)?>(nil)
    }
    private let outbox: Outbox<WorkerMessage>
    private let waiters = Mutex<[TransferID: Waiter]>([:])

    init(outbox: Outbox<WorkerMessage>) { self.outbox = outbox }

    func tell(_ request: FileRequest, of id: TransferID) { outbox.post(.file(id, request)) }

    /// Sends a request to the parent and waits for the answer. The process exits if the parent is gone.
    func ask(_ request: FileRequest, of id: TransferID) -> (FileReply, OwnedDescriptor?) {
        let waiter = Waiter()
        waiters.withLock { $0[id] = waiter }
        tell(request, of: id)
        waiter.semaphore.wait()
        return waiter.answer.withLock { $0 } ?? (.changed, nil)
    }

    /// Delivers an answer to the waiting caller. Called on the reading thread.
    func answered(_ id: TransferID, _ reply: FileReply, _ file: OwnedDescriptor?) {
        guard let waiter = waiters.withLock({ $0.removeValue(forKey: id) }) else { return }
        waiter.answer.withLock { $0 = (reply, file) }
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
        switch channel.ask(.open(server), of: id) {
        case (.opened(let path), let file?):
            return PartialFile(descriptor: file, path: path)
        case (.failed(let failure), _):
            throw failure
        default:
            throw FileFailure("open", "the partial file", code: EPROTO)
        }
    }

    func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile? {
        let news = opened.withLock { $0 == server ? nil : server }
        return try file.whileOthersSync { () throws(FileFailure) in
            switch channel.ask(.adopt(news, size: size), of: id).0 {
            case .adopted(let completed): return completed
            case .failed(let failure): throw failure
            case .changed, .opened: return nil
            }
        }
    }

    func remove(_ file: PartialFile?) { channel.tell(.remove, of: id) }
}
