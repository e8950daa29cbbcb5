// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SessionLogic
internal import TransferEngine
package import TransferModel
internal import TransferScheduling

/// The transfers of tasks. Submits tasks to the engine, and pauses, resumes and cancels their transfers.
///
/// A method whose outcome matters to its task returns the events that the machine applies next.
struct TaskTransfers: Sendable {
    let engine: TransferEngine
    let store: any SessionStore
    let resolver: any RequestResolver
    let logger: Logger

    /// Submits a task as a transfer.
    ///
    /// - Returns: The events that follow, and the refusal if the engine cannot accept the transfer at present.
    nonisolated(nonsending) func submit(
        _ submission: TaskSubmission, at now: WallTime
    ) async -> (events: [SessionMachine.Event], refusal: SessionRefusal?) {
        let key = submission.transferKey
        let failure: FailureDescription
        do {
            var specification = try specification(of: submission, at: now)
            if let replaced = submission.replaced {
                // The user may have requested that the replaced transfer start immediately.
                let former = try? await store.transfers([replaced]).first?.specification.traits.kind
                specification.traits.kind = former ?? specification.traits.kind
                await control([replaced], .cancel)
            }
            return ([.transferSubmitted(try await engine.submit(specification, key: key), key: key)], nil)
        } catch let error as UnusableTask {
            failure = error.failure
        } catch let error as RefusedTransferError {
            failure = .unsupported("\(error)")
        } catch {
            return ([.submissionFailed(key: key)], SessionRefusal(code: .unavailable, message: "\(error)"))
        }
        return ([.submissionFailed(key: key), .unusable(submission.session, submission.number, failure)], nil)
    }

    /// Returns a task's specification as a transfer. An upload sends its kept file but shows the app's own path.
    private func specification(
        of submission: TaskSubmission, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification {
        var snapshot = submission.task.snapshot
        var origin: String?
        if let source = submission.task.source, case .upload(let path) = snapshot.kind {
            origin = path
            snapshot.kind = .upload(path: source.path)
        }
        var specification = try resolver.specification(
            of: snapshot, in: submission.session, by: submission.settings, at: now)
        let given = specification.traits
        specification.traits = submission.traits
        specification.traits.host = given.host
        specification.traits.isLoopback = given.isLoopback
        specification.traits.expectedBytesToSend = given.expectedBytesToSend ?? submission.traits.expectedBytesToSend
        specification.isSandboxed = submission.isSandboxed
        if let source = submission.task.source, let origin {
            // The size and date from the time of keeping, because with a hard link the app may have changed the file
            // since.
            specification.upload?.size = source.size
            specification.upload?.modified = source.modified
            specification.upload?.origin = origin
            specification.traits.expectedBytesToSend = source.size
        }
        return specification
    }

    /// Performs an action on transfers.
    ///
    /// An action that cannot be saved at present takes effect anyway and is saved with the next change. If the engine
    /// has ended, its next run finds the request in the session's rows.
    nonisolated(nonsending) func control(_ ids: [TransferID], _ action: TransferAction) async {
        do { try await engine.control(ids, action) } catch is EngineEndedError {
        } catch {
            logger.warning("could not save an action yet", metadata: ["transfers": "\(ids)", "why": "\(error)"])
        }
    }

    /// Changes the requested properties of a transfer. A transfer that has ended in the meantime needs no change.
    nonisolated(nonsending) func change(_ id: TransferID, _ request: ChangeRequest) async {
        var change = TransferChange(priority: request.priority)
        if !request.constraints.isEmpty {
            change.constraints = try? await store.transfers([id]).first?.specification.traits.constraints
            if var constraints = change.constraints {
                request.constraints.apply(to: &constraints)
                change.constraints = constraints
            }
        }
        try? await engine.change(id, change)
    }

    /// Cancels the unfinished transfers that were submitted with these keys.
    nonisolated(nonsending) func cancel(keys: [String]) async {
        let earlier = (try? await store.transfers(forKeys: keys)) ?? [:]
        await control(earlier.values.filter { $0.ending == nil }.map(\.id).sorted(), .cancel)
    }

    /// Resumes a paused transfer.
    ///
    /// - Returns: The event that follows. If the transfer ended before it was paused, the event is its end.
    nonisolated(nonsending) func resume(_ id: TransferID) async -> SessionMachine.Event {
        await control([id], .resume)
        let ending = try? await store.transfers([id]).first?.ending
        return ending.map { .transferEnded(id, TaskEnd($0)) } ?? .resumed(id)
    }

    /// Sends the app's response to a server's challenge.
    ///
    /// - Returns: The event that follows, even if the challenge was already answered or its transfer has ended.
    nonisolated(nonsending) func answerChallenge(
        of id: TransferID, with answer: ChallengeResponse
    ) async throws(SessionRefusal) -> SessionMachine.Event {
        do {
            try await engine.answerChallenge(id, with: answer)
        } catch is ChallengeAnswerError {
            // The challenge was already answered, or the transfer has ended.
        } catch {
            throw SessionRefusal(code: .unavailable, message: "\(error)")
        }
        return .challengeAnswered(id)
    }
}

/// Explains why the tasks of sessions wait.
package struct TaskExplainer: Sendable {
    private let host: SessionHost
    private let localTime: @Sendable () -> LocalTimeRules

    /// - Parameter localTime: Returns the rules for the dates in sentences. Called for each explanation.
    package init(host: SessionHost, localTime: @escaping @Sendable () -> LocalTimeRules) {
        self.host = host
        self.localTime = localTime
    }

    /// Returns the reasons why a task waits. `nil` if the task runs, is about to run, has ended, or has not begun.
    package func explanation(ofTask number: Int, in key: SessionKey) async -> WaitExplanation? {
        let task = SessionMachine.TaskKey(session: key, number: number)
        guard let id = await host.read({ task.transfer(in: $0) }),
            let explanation = await host.engine.explanationInTurn(of: id), !explanation.reasons.isEmpty
        else { return nil }
        return WaitExplanation(explanation, localTime: localTime())
    }
}
