// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SessionLogic
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy

/// What the machine wants done.
extension SessionHost {
    /// A timer that runs; another one of its name has another number.
    struct RunningTimer {
        var number: Int
        var waiting: Task<Void, Never>
    }

    /// Lets the machine have an event and does what follows, where nobody waits for the answer.
    func performForSure(_ event: SessionMachine.Event) async {
        do {
            try await perform(event)
        } catch {
            logger.error("a task could not be submitted; it is tried at the next start", metadata: ["why": "\(error)"])
        }
    }

    /// Lets the machine have an event and does what follows.
    ///
    /// - Throws: `SessionRefusal` if the engine could not take what is new.
    func perform(_ event: SessionMachine.Event) async throws {
        var failure: (any Error)?
        for effect in machine.apply(event, at: now) {
            do { try await perform(effect) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func perform(_ effect: SessionEffect) async throws {
        switch effect {
        case .save(let changes): await save(changes)
        case .tell(let key, let event): clients[key]?.tell(key, event)
        case .submit(let submission): try await submit(submission)
        case .pause(let ids): await control(ids, .pause)
        case .resume(let id): try await resume(id)
        case .cancel(let ids): await control(ids, .cancel)
        case .cancelKeys(let keys):
            let earlier = (try? await store.transfers(forKeys: keys)) ?? [:]
            await control(earlier.values.filter { $0.ending == nil }.map(\.id).sorted(), .cancel)
        case .change(let id, let constraints, let priority):
            // One that has ended meanwhile has no use for it.
            try? await engine.change(id, TransferChange(constraints: constraints, priority: priority))
        case .answerChallenge(let id, let answer): try await give(answer, to: id)
        case .holdForApp(let id): engine.appNeeded(id, .delayedBegin)
        case .releaseForApp(let id): engine.appAnswered(id)
        case .launch(let app, let registration, let key): launch(app, registration, for: key)
        case .noteRelaunch(let app): engine.appRelaunched(app)
        case .noteRelaunchAbandoned(let app): engine.relaunchAbandoned(app)
        case .noteFront(let app): engine.appCameToFront(app)
        case .setTimer(let timer, let duration): set(timer, duration)
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.waiting.cancel()
        case .removeFile(let file): place.remove(file)
        case .removeSource(let source): spool.remove(source)
        }
    }

    /// Saves what has happened and cannot be refused: until it is saved, the session does not go on.
    private func save(_ changes: [SessionChange]) async {
        var pause = Duration.seconds(1)
        while true {
            do {
                return try await store.commit(changes)
            } catch {
                logger.error("a session could not be saved; it is tried again", metadata: ["why": "\(error)"])
                do { try await sleep(pause) } catch { return }
                pause = min(pause * 2, .seconds(60))
            }
        }
    }

    // MARK: Time

    private func set(_ timer: SessionTimer, _ duration: Duration) {
        let number = (timers[timer]?.number ?? 0) + 1
        timers[timer]?.waiting.cancel()
        let waiting = Task { [sleep] in
            do { try await sleep(duration) } catch { return }
            await ring(timer, number)
        }
        timers[timer] = RunningTimer(number: number, waiting: waiting)
    }

    private func ring(_ timer: SessionTimer, _ number: Int) async {
        guard !Task.isCancelled, timers[timer]?.number == number else { return }
        timers[timer] = nil
        await handle(.timerFired(timer))
    }

    // MARK: Programs

    private func launch(_ app: String, _ registration: AppRegistration, for key: SessionKey) {
        let metadata: Logger.Metadata = ["app": "\(app)", "session": "\(key.identifier)"]
        logger.info("starting an app for its session", metadata: metadata)
        Task {
            let outcome = await launcher.launch(registration, of: app, for: key.identifier)
            switch outcome {
            case .started: break
            case .missing(let why), .crashed(let why), .silent(let why):
                logger.warning(
                    "an app could not be started for its session", metadata: metadata.merging(["why": "\(why)"]) { $1 })
            }
            await handle(.launchEnded(app, outcome))
        }
    }

    // MARK: Transfers

    /// Has the engine do something with transfers. What cannot be saved just now is done, and saved with what follows; an
    /// engine that has ended finds in the session's rows what was asked for.
    private func control(_ ids: [TransferID], _ action: TransferAction) async {
        do { try await engine.control(ids, action) } catch is EngineEndedError {
        } catch {
            logger.warning("a command is not saved yet", metadata: ["transfers": "\(ids)", "why": "\(error)"])
        }
    }

    private func submit(_ submission: TaskSubmission) async throws {
        let key = submission.transferKey
        do {
            var specification = try specification(of: submission)
            if let replaced = submission.replaced {
                // A person may have asked for it to begin at once.
                let former = try? await store.transfers([replaced]).first?.specification.traits.kind
                specification.traits.kind = former ?? specification.traits.kind
                await control([replaced], .cancel)
            }
            try await perform(.transferSubmitted(engine.submit(specification, key: key), key: key))
        } catch {
            try await perform(.submissionFailed(key: key))
            let (session, number) = (submission.session, submission.number)
            switch error {
            case let error as UnusableTask: try await perform(.unusable(session, number, error.failure))
            case is RefusedTransferError:
                try await perform(.unusable(session, number, .unsupported("\(error)")))
            default: throw SessionRefusal(code: .unavailable, message: "\(error)")
            }
        }
    }

    /// A task as a transfer: an upload sends its kept file, and shows the app's own path.
    private func specification(of submission: TaskSubmission) throws(UnusableTask) -> TransferSpecification {
        var snapshot = submission.task.snapshot
        var origin: String?
        if let source = submission.task.source, case .upload(let path) = snapshot.kind {
            origin = path
            snapshot.kind = .upload(path: source.path)
        }
        var specification = try place.specification(
            of: snapshot, in: submission.session, by: submission.settings, at: now)
        let given = specification.traits
        specification.traits = submission.traits
        specification.traits.host = given.host
        specification.traits.isLoopback = given.isLoopback
        specification.traits.expectedBytesToSend = given.expectedBytesToSend ?? submission.traits.expectedBytesToSend
        specification.isSandboxed = submission.isSandboxed
        if let source = submission.task.source, let origin {
            // As it was when it was kept: with a hard link, the app may have changed it since.
            specification.upload?.size = source.size
            specification.upload?.modified = source.modified
            specification.upload?.origin = origin
            specification.traits.expectedBytesToSend = source.size
        }
        return specification
    }

    /// Has a paused transfer go on. One that ended before it was paused has an end to tell.
    private func resume(_ id: TransferID) async throws {
        await control([id], .resume)
        let ending = try? await store.transfers([id]).first?.ending
        try await perform(ending.map { .transferEnded(id, TaskEnd($0)) } ?? .resumed(id))
    }

    private func give(_ answer: ChallengeAnswer, to id: TransferID) async throws {
        do {
            try await engine.answerChallenge(id, with: answer)
        } catch is ChallengeAnswerError {
            // It was answered before, or is over.
        } catch {
            throw SessionRefusal(code: .unavailable, message: "\(error)")
        }
        try await perform(.answered(id))
    }
}
