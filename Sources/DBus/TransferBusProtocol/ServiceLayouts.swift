// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

// The keys of requests to the daemon and of the daemon's replies.

extension TransferStatus: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "id": .init("id", need: "the transfer's number"), "url": .init("url", need: "the transfer's URL"),
        "name": .init("name", need: "the transfer's name"), "state": .init("state", need: "the state of the transfer"),
        "isUpload": "upload", "priority": .init("priority", whole: 0...1000),
        "attempt": .init("attempt", whole: 0...1_000_000_000), "status": .init("status", whole: 0...999),
        "errorCode": "error-code", "deadlineState": "deadline-state",
    ])
    package static let busDefaults = TransferStatus(
        id: TransferID(0), url: "", name: "", app: "", isUpload: false, kind: .normal, priority: 500, state: .waiting,
        submitted: WallTime(nanosecondsSinceEpoch: 0)
    ).fields
}

extension TransferFilter: VariantCoded {
    package static let busLayout = VariantLayout(
        "a filter",
        keys: [
            "ended": .init("ended", whole: 0...1_000_000),
            "explainedLimit": .init("explained-limit", whole: 0...1_000_000),
            "isExplained": .init("explained", omitsEmpty: true),
        ])
    package static var busDefaults: [String: VariantValue] {
        ["ended": .integer(0), "explained-limit": .integer(0), "explained": .bool(false)]
    }
}

extension ChangeRequest: VariantCoded {
    package static let busLayout = VariantLayout(
        "a change",
        keys: [
            "priority": .init("priority", whole: 0...1000), "constraints": .inline(),
            "url": .init("url", most: 32 << 10),
        ])
}

extension ConstraintChange: VariantCoded {
    package static let busLayout = VariantLayout(
        keys: [
            "batteryAbove": .init("battery-above", whole: 0...100), "linkKinds": "link-kinds",
            "notBefore": "not-before", "removed": "remove",
            "priceBelow": .init("price-below", number: -1e12...1e12),
            "windows": .init("windows", expected: "a list of pairs of seconds of the week (a(xx))"),
            "custom": .init("custom", expected: "a list of requirements such as call=no or load=low/medium (as)"),
            "connectionsAllowed": "connections-allowed", "connectionsDenied": "connections-denied",
        ])

    package func checkReceived() throws {
        guard power == .any, batteryAbove != nil else { return }
        throw BusFault(
            .invalidArgument, "'battery-above' requires 'power' = ac, and means: on AC or above that level")
    }
}

extension TransferDetails: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["status": .inline(), "onComplete": "on-complete"])
}

extension WaitExplanation: VariantCoded {
    package static let busLayout = VariantLayout()
    package static var busDefaults: [String: VariantValue] { ["reasons": .list([])] }
}

extension WaitReasonReport: VariantCoded {
    package static let busLayout = VariantLayout()
}

extension CommandStatus: VariantCoded {
    package static let busLayout = VariantLayout(
        "a command",
        keys: [
            "id": .init("id", whole: 0...Int64.max), "name": .init("name", most: 255, need: "the command's first word"),
            "state": .init("state", need: "the state of the command"),
        ])
    package static let busDefaults = CommandStatus(name: "", state: .waiting).fields
}

extension HoldStatus: VariantCoded {
    package static let busLayout = VariantLayout()
}

extension LossReport: VariantCoded {
    package static let busLayout = VariantLayout()
}

extension ConditionsReport: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["stayAwake": "stay-awake"])
}

extension PriceReport: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["lowestFrom": "lowest-from", "knownUntil": "known-until"])
}

extension SessionStatus: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["name": .inline(), "background": .inline(ifAny: "tasks")])

    /// The dictionary of the session in a list, with the session's state as a word and the path of its object.
    package var listed: [String: VariantValue] {
        fields.merging(["path": .string(name.path), "state": .string(state)]) { $1 }
    }

    /// The D-Bus properties of the session's object.
    package var properties: [String: VariantValue] {
        [
            "Identifier": .string(name.identifier), "App": .string(name.app), "State": .string(state),
            "Transfers": .typed("ax", .list(transfers.map { .integer($0.rawValue) })),
        ]
    }
}

extension SessionStatus.Background: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["waitingEvents": "waiting-events"])
}

extension AppSummary: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "sourceFiles": "source-files", "sourceBytes": "source-bytes", "finishedFiles": "finished-files",
        "finishedBytes": "finished-bytes", "partialBytes": "partial-bytes", "countedBytes": "counted-bytes",
        "bytesLimit": "bytes-limit", "background": .inline(ifAny: "connected"),
    ])
}

extension AppSummary.Background: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "isConnected": "connected", "isInFront": "front", "waitingEvents": "waiting-events",
        "lastLaunch": "last-launch", "lastOutcome": "last-outcome", "lastError": "last-error",
        "registration": .inline(ifAny: "bus-name", "command"), "registeredBy": "registered-by",
    ])
}

extension RelaunchDelayStatus: VariantCoded {
    package static let busLayout = VariantLayout()
}

extension BudgetStatus: VariantCoded {
    package static let busLayout = VariantLayout()
}

extension HistoryPage: VariantCoded {
    package static let busLayout = VariantLayout()
    package static var busDefaults: [String: VariantValue] { ["transfers": .list([])] }
}

extension HistoryTransfer: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["isUpload": "upload"])
    package static let busDefaults = HistoryTransfer(id: TransferID(0), name: "").fields
}

extension HistoryConditions: VariantCoded {
    package static let busLayout = VariantLayout(keys: ["isAsleep": "asleep"])
}

/// The properties of the manager object.
extension DaemonStatus: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "version": "Version", "commit": "Commit", "processID": "ProcessID", "policy": "Policy", "held": "Held",
        "conditions": "Conditions", "stateDirectory": "StateDirectory", "stateLost": "StateLost",
    ])
}

extension WindowConstraint.Window: VariantPaired {
    package var pair: [VariantValue] { [.integer(start), .integer(end)] }

    package init?(pair: [VariantValue]) {
        guard let start = pair[0].integer, let end = pair[1].integer, (0..<604_800).contains(start), end > start,
            end - start <= 604_800
        else { return nil }
        self.init(start: start, end: end)
    }
}

extension HeaderField: VariantPaired {
    package var pair: [VariantValue] { [.string(name), .string(value)] }

    package init?(pair: [VariantValue]) {
        guard let name = pair[0].string, let value = pair[1].string else { return nil }
        self.init(name: name, value: value)
    }
}
