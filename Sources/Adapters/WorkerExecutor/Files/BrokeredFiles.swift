// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferFiles
internal import TransferModel

/// The files of an attempt that a worker runs, managed by the worker's parent.
///
/// A malicious server may control the worker. Therefore no value from the worker is used as a path. Each request is
/// carried out at most as often as a single attempt needs. At worst, a request spoils the bytes of its own attempt.
final class BrokeredFiles: Sendable {
    private struct State: Sendable {
        var file: PartialFile?
        var server: ServerFile?
        var prepared: PreparedFiles?
        var placed: CompletedFile?
        var isClosed = false
    }
    private struct Requests: Sendable {
        var opens = 0
        var adoptions = 0
        var removals = 0
    }
    let job: TransferJob
    private let files: LocalFiles
    /// Locked during every file operation.
    private let state = Mutex(State())
    private let requests = Mutex(Requests())

    init(job: TransferJob, configuration: HTTPExecutorConfiguration) {
        self.job = job
        files = LocalFiles(job: job, configuration: configuration)
    }

    /// Prepares the files. Returns the contents of the start order.
    func prepare(isStopped: () -> Bool) -> (PreparedFiles, PassedFile?) {
        state.withLock { state in
            let (prepared, source) = files.prepare(isStopped: isStopped)
            state.prepared = prepared
            return (prepared, source.map { PassedFile($0.number, of: $0) })
        }
    }

    /// Counts the request. Returns `false` if the attempt has sent too many requests. An upload may send no requests.
    func admits(_ request: FileRequest) -> Bool {
        guard job.specification.upload == nil else { return false }
        return requests.withLock { requests in
            switch request {
            case .open: requests.opens += 1
            case .adopt: requests.adoptions += 1
            case .remove: requests.removals += 1
            }
            return requests.opens <= 1 && requests.adoptions <= 1 && requests.removals <= 2
        }
    }

    /// Carries out an admitted request. Returns the reply, or `nil` if the request needs no reply.
    func carryOut(_ request: FileRequest) -> (FileReply, PassedFile?)? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            do throws(FileFailure) {
                switch request {
                case .open(let server):
                    let server = server.bounded
                    let file = try files.open(for: server)
                    (state.file, state.server) = (file, server)
                    return (.opened(path: file.path), PassedFile(file.descriptor, of: file))
                case .adopt(let server, let size):
                    guard let file = state.file, let server = server?.bounded ?? state.server,
                        let completed = try files.adopt(file, as: server, size: size)
                    else { return (.changed, nil) }
                    state.placed = completed
                    return (.adopted(completed), nil)
                case .remove:
                    files.remove(state.file)
                    state.file?.unlock()
                    state.file = nil
                    return nil
                }
            } catch {
                return (.failed(error), nil)
            }
        }
    }

    /// Waits for the running operation and prevents further operations.
    ///
    /// The worker may still have the file open. The lock belongs to both processes, so it is released here.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.file?.unlock()
            state.file = nil
        }
    }

    /// The path and inode of the partial file, with which a later attempt continues.
    var partial: (path: String, number: UInt64?) {
        state.withLock { (files.partialPath, $0.file?.number ?? job.resume?.fileNumber) }
    }

    /// Returns the finished file if there is one: placed by this or an earlier attempt, or found unchanged.
    func finishedFile(wasAlreadyComplete: Bool) -> CompletedFile? {
        state.withLock { state in
            switch state.prepared {
            case .download(_, isUnchanged: true) where wasAlreadyComplete: job.specification.completedBefore
            case .placed(let completion, _): completion.file
            default: state.placed
            }
        }
    }
}
