// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SessionLogic
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy

/// The effects of the session machine.
extension SessionHost {
    /// Applies an event in the turn of its session and performs the effects.
    func handle(_ event: SessionMachine.Event) async {
        guard let key = machine.session(of: event) else { return await performLoggingErrors(event) }
        await turns.inTurn(of: key) { await performLoggingErrors(event) }
    }

    /// Applies an event and performs the effects. Logs failures, because no caller waits for the result.
    func performLoggingErrors(_ event: SessionMachine.Event) async {
        do {
            try await perform(event)
        } catch {
            logger.error("could not submit a task; retrying at the next start", metadata: ["why": "\(error)"])
        }
    }

    /// Applies an event and performs the effects.
    ///
    /// - Throws: `SessionRefusal` if the engine could not accept a new task.
    func perform(_ event: SessionMachine.Event) async throws {
        var failure: (any Error)?
        for effect in machine.apply(event, at: now) {
            do { try await perform(effect) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func perform(_ effect: SessionEffect) async throws {
        switch effect {
        case .save(let changes): await rows.save(changes)
        case .send(let key, let event): clients[key]?.send(key, event)
        case .submit(let submission):
            let (events, refusal) = await transfers.submit(submission, at: now)
            for event in events { try await perform(event) }
            if let refusal { throw refusal }
        case .pause(let ids): await transfers.control(ids, .pause)
        case .resume(let id): try await perform(transfers.resume(id))
        case .cancel(let ids): await transfers.control(ids, .cancel)
        case .cancelKeys(let keys): await transfers.cancel(keys: keys)
        case .change(let id, let request): await transfers.change(id, request)
        case .answerChallenge(let id, let answer): try await perform(transfers.answerChallenge(of: id, with: answer))
        case .blockForApp(let id): engine.appNeeded(id, .delayedBegin)
        case .unblockForApp(let id): engine.appResponded(id)
        case .launch(let app, let registration, let key): launch(app, registration, for: key)
        case .reportRelaunch(let app): engine.appRelaunched(app)
        case .reportRelaunchAbandoned(let app): engine.relaunchAbandoned(app)
        case .reportForeground(let app): engine.appCameToFront(app)
        case .setTimer(let timer, let duration):
            timers.set(timer, after: duration) { await self.handle(.timerFired(timer)) }
        case .cancelTimer(let timer): timers.cancel(timer)
        case .removeFile(let file): files.removeFinished(file)
        case .removeSource(let source): files.remove(source)
        }
    }

    private func launch(_ app: String, _ registration: AppRegistration, for key: SessionKey) {
        let metadata: Logger.Metadata = ["app": "\(app)", "session": "\(key.identifier)"]
        logger.info("starting an app for its session", metadata: metadata)
        Task {
            let outcome = await launcher.launch(registration, of: app, for: key.identifier)
            switch outcome {
            case .started: break
            case .missing(let why), .crashed(let why), .silent(let why):
                logger.warning(
                    "could not start an app for its session", metadata: metadata.merging(["why": "\(why)"]) { $1 })
            }
            await handle(.launchEnded(app, outcome))
        }
    }
}
