// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// The derivation of a transfer's state from its specification, its updates, and its ending.
extension TransferStatus {
    /// Creates the state of a new transfer.
    init(_ id: TransferID, _ specification: TransferSpecification) {
        let traits = specification.traits
        self.init(
            id: id, url: RedactedURL.text(of: specification.url), name: DisplayName(of: specification).text,
            app: traits.app, session: traits.session, isUpload: specification.upload != nil, kind: traits.kind,
            priority: traits.priority, state: .waiting, submitted: traits.submitted)
        deadline = traits.constraints.deadline?.date
        path = specification.upload?.shownPath
        total = specification.upload?.size
    }

    /// Creates the state of a stored transfer, ended or not.
    public init(_ stored: StoredTransfer) {
        self.init(stored.id, stored.specification)
        bytes = stored.resume?.bytes ?? 0
        total = stored.resume?.total ?? total
        if stored.isSuspended { state = .paused }
        if let ending = stored.ending { end(ending) }
    }

    /// Applies an update to the state.
    mutating func apply(_ update: TransferUpdate.Kind) {
        switch update {
        case .submitted: break  // The submission created the state.
        case .changed(let specification, let isMoved):
            let traits = specification.traits
            if isMoved {
                (url, name) = (RedactedURL.text(of: specification.url), DisplayName(of: specification).text)
            }
            (kind, priority) = (traits.kind, traits.priority)
            let date = traits.constraints.deadline?.date
            if date != deadline { (deadline, deadlineState) = (date, nil) }
        case .paused: if state == .waiting { state = .paused }  // A running attempt is stopped first.
        case .resumed: if state == .paused { state = .waiting }
        case .deadline(let state, _): deadlineState = state
        case .waiting(let explanation): state = explanation.isPaused ? .paused : .waiting
        case .started(let attempt):
            state = .running
            self.attempt = attempt
        case .progressed(let bytes, let total, let rate): (self.bytes, self.total, self.rate) = (bytes, total, rate)
        case .restarted: (bytes, rate) = (0, nil)
        case .stopped(let explanation, let bytes): stop(explanation, bytes)
        case .retrying(let explanation, let failure, let bytes):
            // An attempt can fail while it is being stopped because its transfer was paused.
            stop(explanation, bytes)
            (errorCode, error) = (failure.cause.code, failure.message)
        case .finished(let completion): end(.completed(completion))
        case .failed(let failure): end(.failed(failure))
        case .cancelled: end(.cancelled)
        }
    }

    private mutating func stop(_ explanation: Explanation, _ bytes: Int64) {
        state = explanation.isPaused ? .paused : .waiting
        (self.bytes, rate) = (bytes, nil)
    }

    /// Changes the state to the state of an ended transfer.
    mutating func end(_ ending: TransferEnding) {
        rate = nil
        (errorCode, error) = (nil, nil)
        switch ending {
        case .completed(let completion, _):
            state = completion.isFailure ? .failed : .finished
            status = completion.status
            if let file = completion.file {
                path = file.path
                (bytes, total) = (file.bytes, file.bytes)
            } else if !completion.isFailure, let total {
                bytes = total
            }
            if completion.isFailure {
                // The body of a refusal is not the file, so its bytes are no progress.
                if completion.file == nil { (bytes, total) = (0, nil) }
                (errorCode, error) = ("status", "the server answered \(completion.status)")
            }
        case .failed(let failure, _):
            state = .failed
            (errorCode, error) = (failure.cause.code, failure.message)
        case .cancelled: state = .cancelled
        }
    }
}

extension Explanation {
    /// A Boolean value that indicates whether the transfer is paused.
    fileprivate var isPaused: Bool { reasons.contains { $0.reason == .suspended } }
}
