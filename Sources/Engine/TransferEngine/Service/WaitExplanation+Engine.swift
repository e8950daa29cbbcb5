// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy
package import TransferScheduling

extension WaitExplanation {
    /// Creates an explanation for the user and for programs from the scheduler's explanation.
    package init(_ explanation: Explanation, localTime: LocalTimeRules) {
        self.init(
            sentence: explanation.fullSentence(localTime: localTime),
            reasons: explanation.reasons.map {
                var report = WaitReasonReport($0, localTime: localTime)
                report.sentence = explanation.sentence(of: $0, localTime: localTime)
                return report
            },
            waited: explanation.waited.map { WaitedTime(code: $0.code, seconds: $0.time.components.seconds) })
        (until, expectedChance) = (explanation.nextReevaluation, explanation.expectedChance)
        (deadline, latestStart) = (explanation.deadline?.date, explanation.deadline?.latestStart)
        deadlineState = explanation.deadline?.state
    }
}

extension WaitReasonReport {
    /// Creates a wait reason with the underlying condition.
    package init(_ hold: WaitReason, localTime: LocalTimeRules) {
        self.init(
            code: hold.reason.code, sentence: hold.sentence(localTime: localTime),
            details: Self.details(of: hold.reason))
        (since, source, confidence) = (hold.since.wall, hold.source?.displayName, hold.confidence)
    }

    private static func details(of reason: Reason) -> [String: Detail?] {
        switch reason {
        case .notBefore(let date): ["date": .date(date)]
        case .onBattery(let level): level.map { ["level": .number(Int64($0))] } ?? [:]
        case .batteryLow(let level, let needed): ["level": .number(Int64(level)), "needed": .number(Int64(needed))]
        case .metered(let isGuess): ["guessed": .flag(isGuess)]
        case .networkKind(let kind, let allowed):
            ["kind": .text(kind.rawValue), "allowed": .texts(allowed.kinds.map(\.rawValue))]
        case .outsideWindow(let opens): ["opens": opens.map(Detail.date)]
        case .debouncing(let condition, _): ["condition": .text(condition.rawValue)]
        case .waitingForSlot(.global): ["scope": .text("global")]
        case .waitingForSlot(.host(let host)): ["scope": .text("host"), "host": .text(host)]
        case .waitingForSlot(.app(let app)): ["scope": .text("app"), "app": .text(app)]
        case .waitingForSlot(.session(let session)): ["scope": .text("session"), "session": .text(session)]
        case .backoff(let attempt, let cause, _): ["attempt": .number(Int64(attempt)), "cause": .text(cause.code)]
        case .retryAfter(let until): ["askedUntil": .date(until)]
        case .storageLow(let needed, let available):
            ["available": .number(available), "needed": needed.map(Detail.number)]
        case .connectionDenied(.denied(let name)): ["denial": .text("denied"), "connection": .text(name)]
        case .connectionDenied(.notAllowed(let name)):
            ["denial": .text("notAllowed"), "connection": name.map(Detail.text)]
        case .connectionDenied(.roaming): ["denial": .text("roaming")]
        case .rateLimited(let delay, let relaunches, let until):
            [
                "delaySeconds": .number(delay.components.seconds), "relaunches": .number(Int64(relaunches)),
                "limitedUntil": .date(until),
            ]
        case .budgetSpent(let renewed):
            ["budget": .text("meteredBytes"), "renewed": renewed.map(Detail.date)]
        case .held(let holder, let why): ["by": .text(holder), "why": .text(why)]
        case .needsApp(let need): ["need": .text(need.rawValue)]
        case .windowTooShort(let needed, let left):
            ["neededSeconds": .number(needed.components.seconds), "leftSeconds": .number(left.components.seconds)]
        case .price(let price, let limit, let until, let end):
            [
                "price": .text("\(price)"), "limit": limit.map { Detail.text("\($0)") },
                "lower": until.map(Detail.date), "knownUntil": .date(end),
            ]
        case .priceUnknown(let end): ["curveEnd": end.map(Detail.date)]
        case .custom(let constraint, let value, _):
            [
                "condition": .text(constraint.name), "value": value.map(Detail.text),
                "needed": .texts(constraint.values),
            ]
        case .powerUnknown, .noNetwork, .captivePortal, .suspended, .aboutToSleep, .aboutToShutDown: [:]
        }
    }
}
