// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import SQLiteStore
public import TransferEngine
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// Transfers without sessions. All methods wait until ``TransferService/run()`` has started the engine.
extension TransferService {
    // MARK: Submitting

    /// Submits a transfer. Returns after the transfer is durable.
    ///
    /// A call with a key may be repeated, in this run or in a later one. If the key belongs to an unfinished transfer,
    /// the call returns that transfer and submits nothing. The same applies to a finished transfer, unless its file is
    /// gone. After any other end, the call submits a new transfer.
    ///
    /// ```swift
    /// let specification = TransferSpecification(downloading: url, to: folder)
    /// let id = try await transfers.submit(specification, key: "episode-7")
    /// ```
    ///
    /// - Parameters:
    ///   - specification: The transfer. Its host, app, and date of submission need not be set.
    ///   - key: A name of the program's own for the transfer, not empty and without NUL.
    /// - Throws: `RefusedTransferError` if the transfer is invalid, `TransferStoreError` if it could not be saved,
    ///   ``TransferServiceError/keyInUse(_:by:)`` if the key belongs to a transfer of another URL, or
    ///   ``TransferServiceError/serviceEnded``.
    @discardableResult
    public func submit(_ specification: TransferSpecification, key: String? = nil) async throws -> TransferID {
        guard let key else { return try await submit([specification])[0] }
        return try await whileRunning { try await submissions.submit(specification, key: key) }
    }

    /// Submits many transfers, all or none. Returns their IDs, in the order of `specifications`, after the transfers
    /// are durable.
    ///
    /// - Throws: `RefusedTransferError` for the first invalid transfer, `TransferStoreError` if the transfers could not
    ///   be saved, or ``TransferServiceError/serviceEnded``.
    @discardableResult
    public func submit(_ specifications: [TransferSpecification]) async throws -> [TransferID] {
        try await whileRunning { try await submissions.submit(specifications) }
    }

    /// Keeps a local file equal to a version of a file on a server. Returns after the transfer is durable.
    ///
    /// A call may be repeated, in this run or in a later one. If the file is being downloaded from the URL in this
    /// version, or has been and still exists, the call returns that transfer and changes nothing. Otherwise it cancels
    /// the download of another version, and begins a new one, which replaces the file once it is complete.
    ///
    /// ```swift
    /// for entry in index {
    ///     try await transfers.keep(folder.appending(path: entry.name), equalTo: entry.url, version: entry.etag)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file URL of the file. Its folder is created if it is missing.
    ///   - url: The http or https URL.
    ///   - version: Any text that changes with the file, such as an `ETag` or a date, without NUL. Contains no secret.
    ///   - kind: The kind of work. Only work of the kind `discretionary` waits for the policy.
    ///   - constraints: The requirements of the download. The default requires only a network.
    /// - Throws: `RefusedTransferError` if the transfer is invalid, `TransferStoreError` if it could not be saved, or
    ///   ``TransferServiceError/serviceEnded``.
    @discardableResult
    public func keep(
        _ file: URL, equalTo url: URL, version: String, _ kind: WorkKind = .normal,
        constraints: Constraints = Constraints()
    ) async throws -> TransferID {
        var specification = TransferSpecification(
            downloading: url, to: file, kind: kind, constraints: constraints, collision: .overwrite)
        specification.destination.directory = file.absoluteURL.deletingLastPathComponent().path
        specification.destination.name = file.lastPathComponent
        return try await whileRunning {
            try await submissions.keep(file.absoluteURL.path, as: specification, version: version)
        }
    }

    // MARK: Following

    /// Waits for the end of a transfer, and returns its result. Safe to call again, in this run or in a later one.
    ///
    /// If the calling task is canceled, the transfer continues.
    ///
    /// ```swift
    /// let file = try await transfers.completion(of: id).file
    /// ```
    ///
    /// - Throws: ``TransferServiceError`` if the transfer has no result, `CancellationError` if the calling task is
    ///   canceled, or `TransferStoreError` if the queue cannot be read.
    public func completion(of id: TransferID) async throws -> TransferCompletion {
        try await waitForStart()
        let steps = followers.steps(of: id)
        if registry.isUnfinished(id) {
            for await step in steps {
                if let ending = step.ending { return try ending.result() }
            }
            try Task.checkCancellation()
            throw TransferServiceError.serviceEnded
        }
        guard let stored = try await whileRunning({ try await store.transfers([id]).first }) else {
            throw TransferServiceError.unknown(id)
        }
        guard let ending = stored.ending else {
            throw TransferStoreError(code: .other, message: "The end of transfer \(id) could not be saved yet.")
        }
        return try ending.result()
    }

    /// Returns the states of a transfer: its current state, then each change, up to its end or the service's end.
    ///
    /// While the transfer waits, `sentence` says why. A slow consumer misses states, but never the last one.
    ///
    /// ```swift
    /// for await status in try await transfers.updates(of: id) {
    ///     print(status.state, status.bytes, status.sentence ?? "")
    /// }
    /// ```
    ///
    /// - Throws: ``TransferServiceError/unknown(_:)`` or ``TransferServiceError/serviceEnded``.
    public func updates(of id: TransferID) async throws -> some AsyncSequence<TransferStatus, Never> & Sendable {
        try await waitForStart()
        var known = registry.status(of: id)
        if known == nil {
            known = try await whileRunning { try await store.transfers([id]).first.map { TransferStatus($0) } }
        }
        guard let known else { throw TransferServiceError.unknown(id) }
        let sentence = await engine.explanation(of: id).map { $0.fullSentence(localTime: manager.localTime) }
        let steps = followers.steps(of: id) { [registry] in
            var status = registry.status(of: id) ?? known
            if status.state == .waiting { status.sentence = sentence }
            return TransferFollowers.Step(status: status)
        }
        return steps.map(\.status)
    }

    /// Returns each change of each transfer from now on, up to the service's end, including transfers of sessions.
    ///
    /// Unread states are buffered without a limit. While a transfer waits, `sentence` says why, for the first
    /// ``Configuration/explainedTransfers``. See also ``waits()``.
    public func updates() -> some AsyncSequence<TransferStatus, Never> & Sendable {
        followers.allSteps().map(\.status)
    }

    /// Returns each change of the reasons why transfers wait from now on, up to the service's end, beginning with the
    /// present reasons.
    ///
    /// ```swift
    /// for await wait in transfers.waits() { print("\(wait.name): \(wait.sentence)") }
    /// ```
    ///
    /// Includes transfers of sessions, and the first ``Configuration/explainedTransfers`` unfinished transfers. A
    /// transfer that starts or ends is not reported here. Unread changes are buffered without a limit.
    public func waits() -> some AsyncSequence<TransferWait, Never> & Sendable { reports.waits() }

    // MARK: Listing

    /// Returns the unfinished transfers, oldest first, and then the latest ended transfers, newest first. Includes
    /// transfers of sessions.
    ///
    /// The `sentence` of a waiting transfer says why it waits, for the first ``Configuration/explainedTransfers``.
    ///
    /// - Parameter ended: The maximum number of ended transfers. The service remembers the last 1000 of them.
    public func list(ended: Int = 0) async throws -> [TransferStatus] {
        try await waitForStart()
        var filter = TransferFilter()
        (filter.ended, filter.explainedLimit) = (ended, reports.limit)
        return try await manager.list(filter)
    }

    /// Returns the reasons why a transfer waits, or its state, in one sentence for users.
    ///
    /// - Throws: ``TransferServiceError/unknown(_:)`` or ``TransferServiceError/serviceEnded``.
    public func explain(_ id: TransferID) async throws -> String {
        try await waitForStart()
        do { return try await manager.explain(id).sentence } catch let error as TransferStoreError
            where error.code == .noSuchTransfer
        { throw TransferServiceError.unknown(id) }
    }

    /// Returns the reasons why a transfer waits, as data, or `nil` if no unfinished transfer has this ID.
    public func explanation(of id: TransferID) async -> Explanation? {
        guard await latch.opened() else { return nil }
        return await engine.explanationInTurn(of: id)
    }

    // MARK: Controlling

    /// Cancels a transfer, and removes its partial file. Returns after the end of the transfer is durable.
    ///
    /// - Returns: Whether the transfer was unfinished.
    /// - Throws: `TransferStoreError` or ``TransferServiceError/serviceEnded``.
    @discardableResult
    public func cancel(_ id: TransferID) async throws -> Bool {
        try await whileRunning { try await engine.cancelAwaitingEnd([id])[0] != .notFound }
    }

    /// Pauses a transfer until it is resumed. A running attempt is stopped and keeps its bytes.
    ///
    /// - Returns: Whether the transfer was unfinished.
    /// - Throws: `TransferStoreError` or ``TransferServiceError/serviceEnded``.
    @discardableResult
    public func pause(_ id: TransferID) async throws -> Bool {
        try await whileRunning { try await engine.pause(id) != .notFound }
    }

    /// Resumes a paused transfer, or ends the wait after a failure.
    ///
    /// - Returns: Whether the transfer was unfinished.
    /// - Throws: `TransferStoreError` or ``TransferServiceError/serviceEnded``.
    @discardableResult
    public func resume(_ id: TransferID) async throws -> Bool {
        try await whileRunning { try await engine.resume(id) != .notFound }
    }

    /// Changes the kind, the constraints, or the priority of a transfer.
    ///
    /// ```swift
    /// try await transfers.change(id, .startNow)  // No longer waits for the policy.
    /// ```
    ///
    /// - Throws: `TransferChangeError` if the change is invalid, `TransferStoreError` if the transfer has ended or the
    ///   change could not be saved, or ``TransferServiceError/serviceEnded``.
    public func change(_ id: TransferID, _ change: TransferChange) async throws {
        try await whileRunning { try await engine.change(id, change) }
    }

    /// Replaces the policy for all discretionary transfers, waiting and running.
    public func setPolicy(_ policy: any Policy) async { await engine.setPolicy(policy) }

    // MARK: The service's life

    private func waitForStart() async throws(TransferServiceError) {
        guard await latch.opened(), !followers.hasEnded else { throw .serviceEnded }
    }

    /// Runs an operation after the engine has started. The engine's and the store's end become one error.
    private func whileRunning<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await waitForStart()
        do {
            return try await body()
        } catch  where error is EngineEndedError || followers.hasEnded {
            throw TransferServiceError.serviceEnded
        }
    }
}

extension TransferEnding {
    /// Returns the result of the transfer, or throws the reason why there is none.
    fileprivate func result() throws(TransferServiceError) -> TransferCompletion {
        switch self {
        case .completed(let completion, _):
            guard !completion.isFailure else { throw .refused(completion) }
            return completion
        case .failed(let failure, _): throw .failed(failure)
        case .cancelled: throw .cancelled
        }
    }
}
