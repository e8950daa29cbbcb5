// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import Synchronization
import TransferFiles
internal import TransferModel
import WorkerExecutor

/// A worker's connection to the files of its parent. Sends requests and delivers the replies.
final class FileChannel: Sendable {
    typealias Completion = @Sendable (FileReply, OwnedDescriptor?) -> Void

    private let outbox: Outbox<WorkerMessage>
    private let completions = Mutex<[TransferID: Completion]>([:])

    init(outbox: Outbox<WorkerMessage>) { self.outbox = outbox }

    /// Sends a request together with the reports of the current piece of work.
    func send(_ request: FileRequest, of id: TransferID) { outbox.post(.file(id, request), isHeld: true) }

    /// Sends a request together with the reports of the current piece of work. Calls `completion` with the reply on the
    /// reading thread, which must not wait. The process exits if the parent is gone.
    func send(_ request: FileRequest, of id: TransferID, completion: @escaping Completion) {
        completions.withLock { $0[id] = completion }
        send(request, of: id)
    }

    /// Sends a request to the parent and waits for the reply.
    func sendAndWait(_ request: FileRequest, of id: TransferID) -> (FileReply, OwnedDescriptor?) {
        let (reply, isThere) = (Reply(), DispatchSemaphore(value: 0))
        send(request, of: id) { answer, file in
            reply.value.withLock { $0 = (answer, file) }
            isThere.signal()
        }
        outbox.sendHeld()
        isThere.wait()
        return reply.value.withLock { $0 } ?? (.changed, nil)
    }

    private final class Reply: Sendable {
        let value = Mutex<(FileReply, OwnedDescriptor?)?>(nil)
    }

    /// Delivers a reply. Called on the reading thread.
    func deliver(_ id: TransferID, _ reply: FileReply, _ file: OwnedDescriptor?) {
        completions.withLock { $0.removeValue(forKey: id) }?(reply, file)
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

    func prepare(isStopped: () -> Bool) -> (PreparedFiles, OwnedDescriptor?) { (prepared, source) }

    func open(for server: ServerFile) throws(FileFailure) -> PartialFile {
        opened.withLock { $0 = server }
        return try Self.result(channel.sendAndWait(.open(server), of: id)).get()
    }

    func beginOpening(
        for server: ServerFile, completion: @escaping @Sendable (Result<PartialFile, FileFailure>) -> Void
    ) -> Bool {
        opened.withLock { $0 = server }
        channel.send(.open(server), of: id) { completion(Self.result(($0, $1))) }
        return true
    }

    private static func result(_ answer: (FileReply, OwnedDescriptor?)) -> Result<PartialFile, FileFailure> {
        switch answer {
        case (.opened(let path), let file?): .success(PartialFile(descriptor: file, path: path))
        case (.failed(let failure), _): .failure(failure)
        default: .failure(FileFailure("open", "the partial file", code: EPROTO))
        }
    }

    func adopt(_ file: PartialFile, as server: ServerFile, size: Int64) throws(FileFailure) -> CompletedFile? {
        try file.beginLending()
        defer { file.endLending() }
        return try Self.adopted(channel.sendAndWait(request(toAdopt: server, size), of: id).0).get()
    }

    func beginAdopting(
        _ file: PartialFile, as server: ServerFile, size: Int64,
        completion: @escaping @Sendable (Result<CompletedFile?, FileFailure>) -> Void
    ) -> Bool {
        do {
            try file.beginLending()
        } catch {
            completion(.failure(error))
            return true
        }
        channel.send(request(toAdopt: server, size), of: id) { reply, _ in
            file.endLending()
            completion(Self.adopted(reply))
        }
        return true
    }

    private func request(toAdopt server: ServerFile, _ size: Int64) -> FileRequest {
        .adopt(opened.withLock { $0 == server ? nil : server }, size: size)
    }

    private static func adopted(_ reply: FileReply) -> Result<CompletedFile?, FileFailure> {
        switch reply {
        case .adopted(let completed): .success(completed)
        case .failed(let failure): .failure(failure)
        case .changed, .opened: .success(nil)
        }
    }

    func remove(_ file: PartialFile?) { channel.send(.remove, of: id) }
}
