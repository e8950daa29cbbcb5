// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferFiles
internal import TransferModel

/// The files of one attempt that a worker runs, as the worker's parent has them.
///
/// A server may have taken the worker over, so nothing that the worker says is a path, and each request is carried out at
/// most as often as one attempt needs it. The worst that a request can do is to spoil this attempt's own bytes.
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
    /// Locked while something is done to the files.
    private let state = Mutex(State())
    private let requests = Mutex(Requests())

    init(job: TransferJob, configuration: URLSessionExecutorConfiguration) {
        self.job = job
        files = LocalFiles(job: job, configuration: configuration)
    }

    /// What the order to start tells of the files.
    func prepare() -> (PreparedFiles, PassedFile?) {
        state.withLock { state in
            let (prepared, source) = files.prepare()
            state.prepared = prepared
            return (prepared, source.map { PassedFile($0.number, of: $0) })
        }
    }

    /// Whether an attempt may ask that, and so often. An upload asks for nothing.
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

    /// Carries out a request that was admitted; nil where nothing is to be answered.
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

    /// Waits for what is being done, and does no more.
    ///
    /// The worker may still hold the file open, and a lock belongs to both of us.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.file?.unlock()
            state.file = nil
        }
    }

    /// The partial file's path and number, by which an attempt goes on later.
    var partial: (path: String, number: UInt64?) {
        state.withLock { (files.partialPath, $0.file?.number ?? job.resume?.fileNumber) }
    }

    /// The finished file, where there is one: placed now or before, or found unchanged.
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
