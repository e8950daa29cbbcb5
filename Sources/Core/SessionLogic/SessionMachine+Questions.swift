// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// What an app is asked before a task goes on. A question is asked again of each process until one answers.
extension SessionMachine {
    // MARK: Delayed tasks

    /// Sees to it that the app is asked when the task's date has come.
    ///
    /// - Parameter recovered: the task's transfer of an earlier run, whose question may have been lost with that run.
    mutating func waitForBegin(_ number: Int, in key: SessionKey, recovered: RecoveredTransfer? = nil) {
        guard let session = sessions[key], let task = session[unfinished: number], let transfer = task.transfer,
            var date = task.record.snapshot.earliestBegin, !task.record.mayBegin, !session.record.isUnasked
        else { return }
        let wasAsked = recovered.map { $0.submitted <= date && $0.bytes == nil } ?? false
        // Somebody may have changed it, and this program have ended before that was saved here.
        if let recovered { date = min(date, recovered.date ?? now) }
        guard date > now || wasAsked else { return }
        effects.append(.holdForApp(transfer))
        wait(until: date, number, in: key)
    }

    /// Asks at a date, in steps, because the wall clock may be set.
    private mutating func wait(until date: WallTime, _ number: Int, in key: SessionKey) {
        sessions[key]?.update(number) { $0.asksAt = date }
        guard date > now else { return askToBegin(number, in: key) }
        effects.append(.setTimer(.begin(key, number), min(now.duration(to: date), .seconds(600))))
    }

    /// Takes over another date of a task that waits for one, given by its app or by a person: the app is asked then, and at
    /// once if there is no date any more.
    mutating func changeDate(of id: TransferID, to date: WallTime?) {
        guard let (key, number) = owners[id].map({ ($0.session, $0.number) }),
            let task = sessions[key]?[unfinished: number], let former = task.asksAt
        else { return }
        // A date that has passed is as good as none.
        let date = max(date ?? now, now)
        guard former != date else { return }
        // The app's own change is saved already.
        if task.record.snapshot.earliestBegin != date { change(number, in: key) { $0.snapshot.earliestBegin = date } }
        clearWait(number, in: key)
        wait(until: date, number, in: key)
    }

    mutating func clearWait(_ number: Int, in key: SessionKey) {
        guard sessions[key]?.tasks[number]?.asksAt != nil else { return }
        sessions[key]?.update(number) { $0.asksAt = nil }
        effects.append(.cancelTimer(.begin(key, number)))
    }

    /// The date of a task may have come.
    mutating func passDate(of number: Int, in key: SessionKey) {
        guard let date = sessions[key]?[unfinished: number]?.asksAt else { return }
        wait(until: date, number, in: key)
    }

    private mutating func askToBegin(_ number: Int, in key: SessionKey) {
        guard let session = sessions[key], let task = session[unfinished: number] else { return }
        sessions[key]?.update(number) { $0.asksAt = nil }
        if session.record.isUnasked || (session.user == nil && !session.allowsLaunch) {
            return letBegin(number, in: key)
        }
        ask(.willBegin(task.record.snapshot.request), of: number, in: key)
    }

    /// Asks the app something, which is started for it if it does not run.
    private mutating func ask(_ question: SessionEvent.Kind, of number: Int, in key: SessionKey) {
        sessions[key]?.update(number) { $0.question = question }
        if sessions[key]?.user == nil { sessions[key]?.hasWaiting = true }
        tell(SessionEvent(task: number, question), in: key)
    }

    /// Lets a delayed task begin, of which nobody is asked, or whose app has said so.
    mutating func letBegin(_ number: Int, in key: SessionKey) {
        guard let task = sessions[key]?[unfinished: number], !task.isChallenged else { return }
        if !task.record.mayBegin { change(number, in: key) { $0.mayBegin = true } }
        clearWait(number, in: key)
        sessions[key]?.update(number) { $0.question = nil }
        if let transfer = task.transfer { effects.append(.releaseForApp(transfer)) }
    }

    /// Carries out what the app says to `willBegin`.
    mutating func begin(_ task: SessionTask, in key: SessionKey, _ reply: DelayedBegin) {
        let number = task.record.snapshot.identifier
        switch reply {
        case .asBefore: letBegin(number, in: key)
        case .unasked:
            letBegin(number, in: key)
            // Nobody is asked about the others either.
            for other in sessions[key]?.asked.sorted() ?? [] { letBegin(other, in: key) }
        case .cancel:
            sessions[key]?.update(number) { $0.question = nil }
            if let transfer = task.transfer { effects.append(.cancel([transfer])) }
        case .with:
            clearWait(number, in: key)
            sessions[key]?.update(number) { $0.question = nil }
            if let transfer = task.transfer { unbind(transfer) }
            submit(number, in: key, replacing: task.transfer)
        }
    }

    // MARK: Logins

    /// A server wants a login before it gives a task's file.
    mutating func challenge(_ id: TransferID, _ challenges: [AuthenticationChallenge]) {
        guard let owner = owners[id], let session = sessions[owner.session] else { return }
        let answersBearer = session.record.settings.answersBearerChallenges
        // Who answers those has a token; others are not asked, nor started, for what they do not know.
        guard
            let challenge = challenges.first(where: { ($0.scheme == .bearer) == answersBearer })
                ?? challenges.first(where: { $0.scheme != .bearer }),
            let description = ChallengeDescription(challenge)
        else { return effects.append(.answerChallenge(id, .refuse)) }
        ask(.challenged(description), of: owner.number, in: owner.session)
    }

    /// What a server is told of the app's answer.
    func answer(to question: SessionEvent.Kind?, _ reply: ChallengeReply) -> ChallengeAnswer {
        var wantsToken: Bool?
        if case .challenged(let challenge)? = question { wantsToken = challenge.scheme == "bearer" }
        switch reply {
        // A password is no token: it must not be read on the way as one.
        case .credential(let user, let password) where wantsToken != true:
            return .credential(Credential(user: user, password: password))
        case .token(let token) where wantsToken != false && ChallengeReply.isToken(token):
            return .headers([HeaderField(name: "Authorization", value: "Bearer \(token)")])
        case .none, .cancel, .credential, .token: return .refuse
        }
    }

    mutating func noteAnswer(to id: TransferID) {
        guard let key = owners[id]?.session, let number = owners[id]?.number,
            sessions[key]?.tasks[number]?.isChallenged == true
        else { return }
        sessions[key]?.update(number) { $0.question = nil }
        noteDealing(in: key)
    }
}

extension SessionTask {
    fileprivate var isChallenged: Bool {
        if case .challenged? = question { true } else { false }
    }
}

extension ChallengeDescription {
    /// From a challenge whose origin is `scheme://host:port`; nil for any other.
    fileprivate init?(_ challenge: AuthenticationChallenge) {
        let text = challenge.origin
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let rest = text[text.index(colon, offsetBy: 3)...]
        guard let border = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: border)...]) else {
            return nil
        }
        self.init(
            scheme: challenge.scheme.rawValue, realm: challenge.realm, host: String(rest[..<border]), port: port,
            isSecure: text[..<colon] == "https", refusals: challenge.wasAnswered ? 1 : 0)
    }
}
