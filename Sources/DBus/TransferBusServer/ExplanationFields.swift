// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
internal import TransferBusProtocol
package import TransferModel
package import TransferPolicy
package import TransferScheduling

/// Why a transfer waits, in the keys that the bus and the programs' JSON share.
package enum ExplanationFields {
    /// The whole of it: `reasons`, `sentence`, `waited`, and where they are known `expectedChance` and `until`.
    package static func fields(of explanation: Explanation, localTime: LocalTimeRules) -> [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "reasons": .list(explanation.holds.map { .dictionary(self.fields(of: $0, localTime: localTime)) }),
            "sentence": .string(explanation.fullSentence(localTime: localTime)),
            "waited": .list(
                explanation.waited.map {
                    .dictionary(["code": .string($0.code), "seconds": .integer($0.time.wholeSeconds)])
                }),
        ]
        fields["expectedChance"] = explanation.expectedChance.map(date)
        fields["until"] = explanation.nextLook.map(date)
        return fields
    }

    /// One reason with its data; what is not known is left out.
    package static func fields(of hold: Hold, localTime: LocalTimeRules) -> [String: VariantValue] {
        var fields = data(of: hold.reason)
        fields["code"] = .string(hold.reason.code)
        fields["sentence"] = .string(hold.sentence(localTime: localTime))
        fields["since"] = date(hold.since.wall)
        fields["source"] = .optional(hold.source?.displayName)
        fields["sureness"] = .optional(hold.sureness?.rawValue)
        return fields
    }

    /// The keys of a reason's own data whose values may not be known.
    package static func openKeys(of reason: Reason) -> [String] {
        switch reason {
        case .outsideWindow: ["opens"]
        case .storageLow: ["needed"]
        case .budgetSpent: ["renewed"]
        case .connectionDenied(.notAllowed): ["connection"]
        default: []
        }
    }

    private static func date(_ date: WallTime) -> VariantValue { .string(BusDate(date).description) }

    private static func data(of reason: Reason) -> [String: VariantValue] {
        switch reason {
        case .notBefore(let date): ["date": Self.date(date)]
        case .onBattery(let level): level.map { ["level": .integer(Int64($0))] } ?? [:]
        case .batteryLow(let level, let needed): ["level": .integer(Int64(level)), "needed": .integer(Int64(needed))]
        case .metered(let isGuess): ["guessed": .bool(isGuess)]
        case .networkKind(let kind, let allowed):
            ["kind": .string(kind.rawValue), "allowed": .list(allowed.kinds.map { .string($0.rawValue) })]
        case .outsideWindow(let opens): opens.map { ["opens": date($0)] } ?? [:]
        case .settling(let condition, _): ["condition": .string(condition.rawValue)]
        case .waitingForSlot(.global): ["scope": .string("global")]
        case .waitingForSlot(.host(let host)): ["scope": .string("host"), "host": .string(host)]
        case .waitingForSlot(.app(let app)): ["scope": .string("app"), "app": .string(app)]
        case .waitingForSlot(.session(let session)): ["scope": .string("session"), "session": .string(session)]
        case .backoff(let attempt, let cause, _):
            ["attempt": .integer(Int64(attempt)), "cause": .string(cause.code)]
        case .storageLow(let needed, let available):
            ["available": .integer(available)].merging(needed.map { ["needed": .integer($0)] } ?? [:]) { $1 }
        case .connectionDenied(.denied(let name)): ["denial": .string("denied"), "connection": .string(name)]
        case .connectionDenied(.notAllowed(let name)):
            ["denial": .string("notAllowed")].merging(name.map { ["connection": .string($0)] } ?? [:]) { $1 }
        case .connectionDenied(.roaming): ["denial": .string("roaming")]
        case .rateLimited(let delay, let relaunches, let until):
            [
                "delaySeconds": .integer(delay.wholeSeconds), "relaunches": .integer(Int64(relaunches)),
                "limitedUntil": date(until),
            ]
        case .budgetSpent(let kind, let renewed):
            ["budget": .string(kind.rawValue)].merging(renewed.map { ["renewed": date($0)] } ?? [:]) { $1 }
        case .held(let holder, let why): ["by": .string(holder), "why": .string(why)]
        case .needsApp(let need): ["need": .string(need.rawValue)]
        case .windowTooShort(let needed, let left):
            ["neededSeconds": .integer(needed.wholeSeconds), "leftSeconds": .integer(left.wholeSeconds)]
        case .powerUnknown, .noNetwork, .captivePortal, .suspended, .aboutToSleep, .aboutToShutDown: [:]
        }
    }
}

extension Duration {
    /// Seconds, rounded down.
    fileprivate var wholeSeconds: Int64 { components.seconds }
}
