// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
internal import TransferModel

/// The named transfers of a session in this process. The registry receives their events, and no one else does.
final class NamedTransferRegistry: Sendable {
    /// The ways in which a name can be used for a request.
    enum Use {
        /// There is a transfer or a finished file of the same request.
        case existing(NamedTransferState)
        /// A new transfer, whose task has not been submitted.
        case new(NamedTransferState, BackgroundTask)
        /// An ended transfer whose file could not be moved before. Its end is handled again.
        case unmoved(NamedTransferState, EventNumber?)
    }

    private struct Content {
        var byTask: [Int: NamedTransferState] = [:]
        /// The latest transfer of each name.
        var byID: [String: NamedTransferState] = [:]
        /// The transfers whose files could not be moved, with their last events, which are not acknowledged.
        var unmoved: [String: (state: NamedTransferState, event: EventNumber?)] = [:]
    }

    /// The finished files. `nil` if the service has named no folder.
    let files: NamedFiles?
    private let content: Mutex<Content>

    /// Creates a registry of the named tasks among those that a session had when it was opened.
    init(_ tasks: [BackgroundTask], folder: String?) {
        files = folder.map { NamedFiles(folder: $0) }
        var content = Content()
        for task in tasks.sorted(by: { $0.identifier < $1.identifier }) {
            guard let name = task.snapshot.name else { continue }
            let state = NamedTransferState(name, task: task)
            (content.byTask[task.identifier], content.byID[name.id]) = (state, state)
        }
        self.content = Mutex(content)
    }

    // MARK: Names

    /// Finds the transfer of a name and a request, or creates its task.
    ///
    /// - Parameter create: Creates a task with a name. Called at most once.
    func use(
        _ name: TaskName, url: String, creating create: (TaskName) throws(SessionError) -> BackgroundTask
    ) throws(TransferError) -> Use {
        guard let files else {
            throw TransferError(
                SessionError(
                    code: .unavailable,
                    message: """
                        The service names no folder for finished files. Update the daemon transferd; in a sandbox, set \
                        XDG_CACHE_HOME.
                        """))
        }
        let result = content.withLock { content -> Result<Use, TransferError> in
            // A failure that no caller has received is the result of this call. Otherwise, the call tries again.
            if let state = content.byID[name.id], !state.isEnded || state.hasUndeliveredFailure {
                guard state.name == name else { return .failure(.idInUse(name.id, by: state.url, not: url)) }
                return .success(.existing(state))
            }
            if let (former, event) = content.unmoved[name.id], let task = former.task {
                guard former.name == name else { return .failure(.idInUse(name.id, by: former.url, not: url)) }
                let state = NamedTransferState(name, task: task)
                state.downloaded = former.downloaded
                content.unmoved[name.id] = nil
                content.byID[name.id] = state
                return .success(.unmoved(state, event))
            }
            if let record = files.finished(name.id) {
                guard record.fingerprint == name.fingerprint else {
                    return .failure(.idInUse(name.id, by: record.url, not: url))
                }
                let file = URL(fileURLWithPath: files.path(of: name.id))
                return .success(.existing(NamedTransferState(name, url: record.url, file: file)))
            }
            do throws(SessionError) {
                let task = try create(name)
                let state = NamedTransferState(name, task: task)
                (content.byTask[task.identifier], content.byID[name.id]) = (state, state)
                return .success(.new(state, task))
            } catch {
                return .failure(TransferError(error))
            }
        }
        return try result.get()
    }

    /// Returns the transfer of a name that has not ended. `nil` if there is none.
    func unfinished(_ id: String) -> NamedTransferState? {
        content.withLock { $0.byID[id] }.flatMap { $0.isEnded ? nil : $0 }
    }

    /// Removes an ended transfer and the file of a name.
    func remove(_ id: String, of session: BackgroundSession) throws {
        let unmoved = content.withLock { content in
            content.byID[id] = nil
            return content.unmoved.removeValue(forKey: id)
        }
        if let event = unmoved?.event { session.channel.acknowledge(event, in: session.configuration.identifier) }
        try files?.remove(id)
    }

    /// Ends the transfers whose events no longer arrive. Their tasks continue.
    func end(_ error: TransferError) {
        let states = content.withLock { content in
            defer { content.byTask = [:] }
            return content.byTask.values.map { $0 }
        }
        for state in states { state.end(.failure(error)) }
    }

    // MARK: Events

    /// Handles an event of a named transfer. Returns false for any other event.
    func handle(_ event: SessionEvent, of session: BackgroundSession) -> Bool {
        guard let number = event.task, let state = content.withLock({ $0.byTask[number] }), let task = state.task
        else { return false }
        task.apply(event.kind)
        switch event.kind {
        case .received(let bytes, let total), .continued(let bytes, let total):
            state.report(TransferProgress(bytes: bytes, total: total))
        case .downloaded(let path): state.downloaded = path
        case .challenged, .willBegin: task.replyByDefault()
        case .completed:
            let inHand = EventInHand(of: session.configuration.identifier, isLast: false, in: session.application)
            end(state, event.number, of: session)
            inHand.end()
        // The response and the sent bytes are properties of the task.
        case .sent, .responded, .body, .called, .finishedEvents, .invalidated: break
        }
        return true
    }

    /// Moves the file of a transfer that has ended, acknowledges its last event, and resumes its waiters.
    func end(_ state: NamedTransferState, _ event: EventNumber?, of session: BackgroundSession) {
        guard let task = state.task else { return }
        let outcome = outcome(of: state, task)
        var isUnmoved = false
        if case .failure(let error) = outcome, error.code == .disk { isUnmoved = true }
        content.withLock { content in
            content.byTask[task.identifier] = nil
            // The service keeps the file until the event is acknowledged.
            if isUnmoved, state.downloaded != nil { content.unmoved[state.name.id] = (state, event) }
        }
        // The acknowledgement includes the earlier events of the task.
        if let event, !isUnmoved { session.channel.acknowledge(event, in: session.configuration.identifier) }
        session.content.withLock { $0.tasks[task.identifier] = nil }
        // The service reports no progress for a file that arrives at once.
        if case .success(let file) = outcome { state.report(NamedFiles.progress(of: file)) }
        state.end(outcome)
        session.closeIfDone()
    }

    private func outcome(of state: NamedTransferState, _ task: BackgroundTask) -> NamedTransferState.Outcome {
        let id = state.name.id
        if let error = task.error { return .failure(TransferError(error, of: id)) }
        if let status = task.response?.statusCode, status >= 400 { return .failure(.status(status, of: id)) }
        guard let files else { return .failure(.disk("the service names no folder", of: id)) }
        do {
            // An earlier process may have moved the file and ended before it acknowledged the event.
            let isMoved = state.downloaded.map { !FileManager.default.fileExists(atPath: $0) } ?? true
            if !isMoved || files.finished(id)?.fingerprint != state.name.fingerprint {
                guard let path = state.downloaded else { return .failure(.noFile(id)) }
                let record = NamedFiles.Record(
                    id: id, fingerprint: state.name.fingerprint, url: RedactedURL.text(of: state.url))
                try files.add(path, as: record)
            }
            return .success(URL(fileURLWithPath: files.path(of: id)))
        } catch {
            return .failure(.disk("\(error)", of: id))
        }
    }
}
