// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

// The keys of what callers ask the daemon for, and of what it answers.

extension TransferStatus: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "id": .init("id", need: "the transfer's number"), "url": .init("url", need: "the transfer's URL"),
        "name": .init("name", need: "the transfer's name"), "state": .init("state", need: "what the transfer does"),
        "isUpload": "upload", "priority": .init("priority", whole: 0...1000),
        "attempt": .init("attempt", whole: 0...1_000_000_000), "status": .init("status", whole: 0...999),
        "errorCode": "error-code",
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
            "mostExplained": .init("most-explained", whole: 0...1_000_000),
            "isExplained": .init("explained", omitsEmpty: true),
        ])
    package static var busDefaults: [String: VariantValue] {
        ["ended": .integer(0), "most-explained": .integer(0), "explained": .bool(false)]
    }
}

extension ChangeRequest: VariantCoded {
    package static let busLayout = VariantLayout(
        "a change", keys: ["priority": .init("priority", whole: 0...1000), "constraints": .inline()])
}

extension ConstraintChange: VariantCoded {
    package static let busLayout = VariantLayout(
        keys: [
            "batteryAbove": .init("battery-above", whole: 0...100), "linkKinds": "link-kinds",
            "notBefore": "not-before",
            "windows": .init("windows", expected: "a list of pairs of seconds of the week (a(xx))"),
            "connectionsAllowed": "connections-allowed", "connectionsDenied": "connections-denied",
        ])

    package func checkReceived() throws {
        guard power == .any, batteryAbove != nil else { return }
        throw BusFault(
            .invalidArgument, "'battery-above' goes with 'power' = ac: on power, or above that level")
    }
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
