// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Asks the app before a task continues. Each new process receives the request again until one process replies.
extension Session {
    // MARK: Delayed tasks

    /// Arranges for the app to be asked when the task's date arrives. Asks immediately if an earlier run asked and
    /// received no reply.
    mutating func waitForBegin(_ number: Int) {
        guard let task = tasks[unfinished: number], let transfer = task.transfer,
            var date = task.record.snapshot.earliestBegin, !task.record.mayBegin, !record.skipsBeginRequests
        else { return }
        let wasRequested = task.recovered.map { $0.submitted <= date && $0.bytes == nil } ?? false
        // The user may have changed the date, and the host may have ended before it saved the change here.
        if let recovered = task.recovered { date = min(date, recovered.date ?? environment.now) }
        guard date > environment.now || wasRequested else { return }
        output.effects.append(.blockForApp(transfer))
        wait(until: date, number)
    }

    /// Asks at a date. Waits in steps of at most 600 s, because the wall clock may be set.
    private mutating func wait(until date: WallTime, _ number: Int) {
        tasks.update(number) { $0.beginRequestDate = date }
        guard date > environment.now else { return requestBegin(number) }
        output.effects.append(.setTimer(.begin(key, number), min(environment.now.duration(to: date), .seconds(600))))
    }

    /// Applies a new date, from the app or from the user, to a task that waits for its date. The app is asked at the
    /// new date, or immediately if the date was removed.
    mutating func changeDate(of number: Int, to date: WallTime?) {
        // A date in the past counts as no date.
        let date = max(date ?? environment.now, environment.now)
        guard let task = tasks[unfinished: number], let former = task.beginRequestDate, former != date else { return }
        // The app's own change is already saved.
        if task.record.snapshot.earliestBegin != date { change(number) { $0.replaceDate(with: date) } }
        clearWait(number)
        wait(until: date, number)
    }

    mutating func clearWait(_ number: Int) {
        guard tasks[number]?.beginRequestDate != nil else { return }
        tasks.update(number) { $0.beginRequestDate = nil }
        output.effects.append(.cancelTimer(.begin(key, number)))
    }

    /// Asks the app if the task's date has arrived, and continues to wait otherwise.
    mutating func passDate(of number: Int) {
        if let date = tasks[unfinished: number]?.beginRequestDate { wait(until: date, number) }
    }

    private mutating func requestBegin(_ number: Int) {
        guard let task = tasks[unfinished: number] else { return }
        tasks.update(number) { $0.beginRequestDate = nil }
        guard !record.skipsBeginRequests, audience.user != nil || record.allowsLaunch else { return letBegin(number) }
        requestReply(.willBegin(task.record.snapshot.request), of: number)
    }

    /// Sends the app an event that it must reply to. An app that is not running is started for the event.
    private mutating func requestReply(_ unansweredEvent: SessionEvent.Kind, of number: Int) {
        tasks.update(number) { $0.unansweredEvent = unansweredEvent }
        audience.recordEvent()
        send([SessionEvent(task: number, unansweredEvent)])
    }

    /// Lets a delayed task begin, because its app has agreed or is not asked.
    mutating func letBegin(_ number: Int) {
        guard let task = tasks[unfinished: number], !task.isChallenged else { return }
        if !task.record.mayBegin { change(number) { $0.mayBegin = true } }
        clearWait(number)
        tasks.update(number) { $0.unansweredEvent = nil }
        if let transfer = task.transfer { output.effects.append(.unblockForApp(transfer)) }
    }

    /// Carries out the app's reply to `willBegin`.
    mutating func begin(_ task: SessionTask, _ reply: DelayedBegin) {
        let number = task.record.snapshot.identifier
        switch reply {
        case .asBefore: letBegin(number)
        case .unasked:
            letBegin(number)
            // The app is not asked about the other tasks either.
            for other in tasks.awaitingReply.sorted() { letBegin(other) }
        case .cancel:
            tasks.update(number) { $0.unansweredEvent = nil }
            output.effects += task.transfer.map { [.cancel([$0])] } ?? []
        case .with:
            clearWait(number)
            tasks.update(number) { $0.unansweredEvent = nil }
            if let transfer = task.transfer { unbind(transfer, of: number) }
            submit(number, replacing: task.transfer)
        }
    }

    // MARK: Authentication

    /// Asks the app for the credentials that a server requires before it serves a task's file.
    mutating func challenge(_ number: Int, _ challenges: [AuthenticationChallenge]) {
        guard let transfer = tasks[unfinished: number]?.transfer else { return }
        let answersBearer = record.settings.answersBearerChallenges
        // An app that replies to bearer challenges has a token. Other apps are neither asked nor started for a scheme
        // that they do not know.
        guard
            let challenge = challenges.first(where: { ($0.scheme == .bearer) == answersBearer })
                ?? challenges.first(where: { $0.scheme != .bearer }),
            let description = ChallengeDescription(challenge)
        else { return output.effects.append(.answerChallenge(transfer, .refuse)) }
        requestReply(.challenged(description), of: number)
    }

    mutating func recordReply(to number: Int) {
        guard tasks[number]?.isChallenged == true else { return }
        tasks.update(number) { $0.unansweredEvent = nil }
        output.hasHandledEvents = true
    }
}

extension ChallengeResponse {
    /// Creates the response for a server from the app's reply.
    init(_ reply: ChallengeReply, to unansweredEvent: SessionEvent.Kind?) {
        var wantsToken: Bool?
        if case .challenged(let challenge)? = unansweredEvent { wantsToken = challenge.scheme == "bearer" }
        switch reply {
        // A password is not a token, and must not be sent readably as a token.
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
            isSecure: text[..<colon] == "https", refusals: challenge.wasRefused ? 1 : 0)
    }
}
