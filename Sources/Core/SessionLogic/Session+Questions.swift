// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Asks the app before a task goes on. Each new process gets the question again until one process answers.
extension Session {
    // MARK: Delayed tasks

    /// Arranges for the app to be asked when the task's date arrives. Asks at once if an earlier run asked and got no
    /// answer.
    mutating func waitForBegin(_ number: Int) {
        guard let task = tasks[unfinished: number], let transfer = task.transfer,
            var date = task.record.snapshot.earliestBegin, !task.record.mayBegin, !record.isUnasked
        else { return }
        let wasAsked = task.recovered.map { $0.submitted <= date && $0.bytes == nil } ?? false
        // A person may have changed the date, and the host may have ended before it saved the change here.
        if let recovered = task.recovered { date = min(date, recovered.date ?? surroundings.now) }
        guard date > surroundings.now || wasAsked else { return }
        output.effects.append(.holdForApp(transfer))
        wait(until: date, number)
    }

    /// Asks at a date. Waits in steps of at most 600 s, because the wall clock may be set.
    private mutating func wait(until date: WallTime, _ number: Int) {
        tasks.update(number) { $0.asksAt = date }
        guard date > surroundings.now else { return askToBegin(number) }
        output.effects.append(.setTimer(.begin(key, number), min(surroundings.now.duration(to: date), .seconds(600))))
    }

    /// Applies a new date, from the app or from a person, to a task that waits for its date. The app is asked at the
    /// new date, or at once if there is no date any more.
    mutating func changeDate(of number: Int, to date: WallTime?) {
        // A date in the past counts as no date.
        let date = max(date ?? surroundings.now, surroundings.now)
        guard let task = tasks[unfinished: number], let former = task.asksAt, former != date else { return }
        // The app's own change is already saved.
        if task.record.snapshot.earliestBegin != date { change(number) { $0.snapshot.earliestBegin = date } }
        clearWait(number)
        wait(until: date, number)
    }

    mutating func clearWait(_ number: Int) {
        guard tasks[number]?.asksAt != nil else { return }
        tasks.update(number) { $0.asksAt = nil }
        output.effects.append(.cancelTimer(.begin(key, number)))
    }

    /// Asks the app if the task's date has arrived, and waits on otherwise.
    mutating func passDate(of number: Int) {
        if let date = tasks[unfinished: number]?.asksAt { wait(until: date, number) }
    }

    private mutating func askToBegin(_ number: Int) {
        guard let task = tasks[unfinished: number] else { return }
        tasks.update(number) { $0.asksAt = nil }
        guard !record.isUnasked, audience.user != nil || record.allowsLaunch else { return letBegin(number) }
        ask(.willBegin(task.record.snapshot.request), of: number)
    }

    /// Asks the app a question. An app that does not run is started for it.
    private mutating func ask(_ question: SessionEvent.Kind, of number: Int) {
        tasks.update(number) { $0.question = question }
        audience.noteEvent()
        tell([SessionEvent(task: number, question)])
    }

    /// Lets a delayed task begin, because its app has agreed or nobody is asked.
    mutating func letBegin(_ number: Int) {
        guard let task = tasks[unfinished: number], !task.isChallenged else { return }
        if !task.record.mayBegin { change(number) { $0.mayBegin = true } }
        clearWait(number)
        tasks.update(number) { $0.question = nil }
        if let transfer = task.transfer { output.effects.append(.releaseForApp(transfer)) }
    }

    /// Carries out the app's answer to `willBegin`.
    mutating func begin(_ task: SessionTask, _ reply: DelayedBegin) {
        let number = task.record.snapshot.identifier
        switch reply {
        case .asBefore: letBegin(number)
        case .unasked:
            letBegin(number)
            // Nobody is asked about the other tasks either.
            for other in tasks.asked.sorted() { letBegin(other) }
        case .cancel:
            tasks.update(number) { $0.question = nil }
            output.effects += task.transfer.map { [.cancel([$0])] } ?? []
        case .with:
            clearWait(number)
            tasks.update(number) { $0.question = nil }
            if let transfer = task.transfer { unbind(transfer, of: number) }
            submit(number, replacing: task.transfer)
        }
    }

    // MARK: Authentication

    /// Asks the app for the credentials that a server requires before it serves a task's file.
    mutating func challenge(_ number: Int, _ challenges: [AuthenticationChallenge]) {
        guard let transfer = tasks[unfinished: number]?.transfer else { return }
        let answersBearer = record.settings.answersBearerChallenges
        // An app that answers bearer challenges has a token. Other apps are neither asked nor started for a scheme
        // they do not know.
        guard
            let challenge = challenges.first(where: { ($0.scheme == .bearer) == answersBearer })
                ?? challenges.first(where: { $0.scheme != .bearer }),
            let description = ChallengeDescription(challenge)
        else { return output.effects.append(.answerChallenge(transfer, .refuse)) }
        ask(.challenged(description), of: number)
    }

    mutating func noteAnswer(to number: Int) {
        guard tasks[number]?.isChallenged == true else { return }
        tasks.update(number) { $0.question = nil }
        output.hasDealt = true
    }
}

extension ChallengeAnswer {
    /// Creates the answer for a server from the app's reply.
    init(_ reply: ChallengeReply, to question: SessionEvent.Kind?) {
        var wantsToken: Bool?
        if case .challenged(let challenge)? = question { wantsToken = challenge.scheme == "bearer" }
        switch reply {
        // A password is not a token, and must not become readable on its way as one.
        case .credential(let user, let password) where wantsToken != true:
            self = .credential(Credential(user: user, password: password))
        case .token(let token) where wantsToken != false && ChallengeReply.isToken(token):
            self = .headers([HeaderField(name: "Authorization", value: "Bearer \(token)")])
        case .none, .cancel, .credential, .token: self = .refuse
        }
    }
}

extension ChallengeDescription {
    /// Creates a description from a challenge whose origin is `scheme://host:port`. Returns `nil` for any other
    /// origin.
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
