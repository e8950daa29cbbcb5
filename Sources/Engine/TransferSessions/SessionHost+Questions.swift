// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy

/// What an app is asked before a task goes on.
extension SessionHost {
    // MARK: Delayed tasks

    /// Sees to it that the app is asked when the task's date has come.
    func waitForBegin(_ number: Int, in key: SessionKey) {
        guard let session = sessions[key], let task = session.tasks[number], let transfer = task.transfer,
            let date = task.record.snapshot.earliestBegin, !task.record.mayBegin, !session.record.isUnasked, date > now
        else { return }
        engine.appNeeded(transfer, .delayedBegin)
        ask(at: date, about: number, in: key)
    }

    /// Asks at another date than before; of a task that waits for one only.
    private func ask(at date: WallTime, about number: Int, in key: SessionKey) {
        sessions[key]?.tasks[number]?.beginWait?.asking.cancel()
        let asking = _Concurrency.Task { await askAt(date, number, in: key) }
        sessions[key]?.tasks[number]?.beginWait = BeginWait(date: date, asking: asking)
    }

    /// Takes over the date of a task that was changed, by its app or by a person: the app is asked then, and at once where
    /// there is none any more.
    func changed(_ number: Int, in key: SessionKey, to date: WallTime?) async {
        let date = date ?? now
        await inTurn(of: key) { host in
            guard let task = host.sessions[key]?.tasks[number], task.record.end == nil, let wait = task.beginWait,
                task.question == nil, wait.date != date
            else { return }
            // The app's own change is saved already.
            if task.record.snapshot.earliestBegin != date {
                var record = task.record
                record.snapshot.earliestBegin = date
                await host.saveForSure([.task(key, record)])
                host.sessions[key]?.tasks[number]?.record = record
            }
            host.ask(at: date, about: number, in: key)
        }
    }

    private func askAt(_ date: WallTime, _ number: Int, in key: SessionKey) async {
        // In steps, because the wall clock may be set.
        while case let left = date.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch, left > 0 {
            do { try await sleep(min(.nanoseconds(left), .seconds(600))) } catch { return }
        }
        await inTurn(of: key) { host in
            guard let session = host.sessions[key], let task = session.tasks[number], task.record.end == nil,
                !task.record.mayBegin, task.question == nil, task.record.snapshot.earliestBegin == date
            else { return }
            let mayStart = session.record.settings.sendsLaunchEvents && session.record.registration != nil
            guard !session.record.isUnasked, session.client != nil || mayStart else {
                return await host.letBegin(number, in: key)
            }
            host.ask(.willBegin(task.record.snapshot.request), of: number, in: key)
        }
    }

    /// Asks the app something, which is started for it where it does not run.
    func ask(_ question: SessionEvent.Kind, of number: Int, in key: SessionKey) {
        sessions[key]?.tasks[number]?.question = question
        if let client = sessions[key]?.client {
            client.tell(key, SessionEvent(task: number, question))
        } else {
            sessions[key]?.hasWaiting = true
            startIfNeeded(key.app)
        }
    }

    private func letBegin(_ number: Int, in key: SessionKey) async {
        guard var record = sessions[key]?.tasks[number]?.record else { return }
        record.mayBegin = true
        await saveForSure([.task(key, record)])
        sessions[key]?.tasks[number]?.record = record
        sessions[key]?.tasks[number]?.question = nil
        sessions[key]?.tasks[number]?.beginWait = nil
        if let transfer = sessions[key]?.tasks[number]?.transfer { engine.appAnswered(transfer) }
    }

    /// Carries out what the app says to `willBegin`.
    func begin(_ number: Int, in key: SessionKey, _ reply: DelayedBegin) async throws {
        guard let task = sessions[key]?.tasks[number], !task.record.mayBegin else { return }
        switch reply {
        case .asBefore: await letBegin(number, in: key)
        case .unasked:
            if var record = sessions[key]?.record, !record.isUnasked {
                record.isUnasked = true
                try await save([.session(key, record)])
                sessions[key]?.record = record
            }
            await letBegin(number, in: key)
        case .cancel:
            sessions[key]?.tasks[number]?.question = nil
            if let transfer = task.transfer { await control(transfer, .cancel) }
        case .with(let request):
            var record = task.record
            record.snapshot.request = request
            record.mayBegin = true
            // Under another key, so that what has the old request is never taken for it.
            record.generation += 1
            try await save([.task(key, record)])
            sessions[key]?.tasks[number] = Task(record: record, bytes: task.bytes)
            account(number, in: key)
            // A person may have asked for it to begin at once.
            var kind: WorkKind?
            if let transfer = task.transfer {
                kind = try? await store.transfers([transfer]).first?.specification.traits.kind
                owners[transfer] = nil
                await control(transfer, .cancel)
            }
            try await handOver(number, in: key, as: kind)
        }
    }

    // MARK: Logins

    /// A server wants a login before it gives a task's file.
    func challenged(_ id: TransferID, _ number: Int, in key: SessionKey) async {
        let answersBearer = sessions[key]?.record.settings.answersBearerChallenges == true
        let challenges = await engine.challenges(of: id)
        // Who answers those has a token; others are not asked, nor started, for what they do not know.
        guard
            let challenge = challenges.first(where: { ($0.scheme == .bearer) == answersBearer })
                ?? challenges.first(where: { $0.scheme != .bearer }),
            let origin = Origin(challenge.origin)
        else { return await refuseChallenge(of: id) }
        let refusals = challenge.wasAnswered ? 1 : 0
        await inTurn(of: key) { host in
            guard host.sessions[key]?.tasks[number]?.transfer == id else { return }
            host.ask(
                .challenged(
                    ChallengeDescription(
                        scheme: challenge.scheme.rawValue, realm: challenge.realm, host: origin.host,
                        port: origin.port, isSecure: origin.isSecure, refusals: refusals)), of: number, in: key)
        }
    }

    /// Nobody can answer it: the server's 401 is the end.
    private func refuseChallenge(of id: TransferID) async { try? await engine.answerChallenge(id, with: .refuse) }

    /// Carries out what the app says to `challenged`.
    func answer(_ number: Int, in key: SessionKey, _ reply: ChallengeReply) async throws {
        guard let task = sessions[key]?.tasks[number], let transfer = task.transfer else { return }
        sessions[key]?.tasks[number]?.question = nil
        var wantsToken: Bool?
        if case .challenged(let challenge)? = task.question { wantsToken = challenge.scheme == "bearer" }
        do {
            switch reply {
            // A password is no token: it must not be read on the way as one.
            case .credential(let user, let password) where wantsToken != true:
                let credential = Credential(user: user, password: password)
                try await engine.answerChallenge(transfer, with: .credential(credential))
            case .token(let token) where wantsToken != false && ChallengeReply.isToken(token):
                let field = HeaderField(name: "Authorization", value: "Bearer \(token)")
                try await engine.answerChallenge(transfer, with: .headers([field]))
            case .none, .credential, .token: try await engine.answerChallenge(transfer, with: .refuse)
            case .cancel: await control(transfer, .cancel)
            }
        } catch is ChallengeAnswerError {
            // It was answered before, or is over.
        } catch {
            throw SessionRefusal(code: .unavailable, message: "\(error)")
        }
    }
}

/// `scheme://host:port`, taken apart.
private struct Origin {
    var isSecure: Bool
    var host: String
    var port: Int

    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        isSecure = text[..<colon] == "https"
        let rest = text[text.index(colon, offsetBy: 3)...]
        guard let border = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: border)...]) else {
            return nil
        }
        host = String(rest[..<border])
        self.port = port
    }
}
