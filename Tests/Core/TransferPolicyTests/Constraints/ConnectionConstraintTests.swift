// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy

@Suite struct ConnectionConstraintTests {
    @Test(
        "Connections are allowed by name and by roaming state",
        arguments: [
            (ConnectionConstraint.any, nil, Roaming.yes, []), (.init(denied: ["a"]), "a", .no, ["connectionDenied"]),
            (.init(denied: ["a"]), "b", .no, []), (.init(denied: ["a"]), nil, .no, []),
            (.init(allowed: ["a"]), "a", .yes, []), (.init(allowed: ["a"]), "b", .no, ["connectionDenied"]),
            (.init(allowed: ["a"]), nil, .no, ["connectionDenied"]),
            (.init(allowed: []), "a", .no, ["connectionDenied"]),
            (.init(allowed: ["a"], denied: ["a"]), "a", .no, ["connectionDenied"]),
            (.init(allowsRoaming: false), "a", .yes, ["connectionDenied"]), (.init(allowsRoaming: false), "a", .no, []),
            (.init(allowsRoaming: false), "a", .unknown, []),
            (.init(denied: ["a"], allowsRoaming: false), "a", .yes, ["connectionDenied", "connectionDenied"]),
        ] as [(ConnectionConstraint, String?, Roaming, [String])])
    func verdicts(constraint: ConnectionConstraint, name: String?, roaming: Roaming, codes: [String]) {
        var conditions = Sample.conditions {
            $0.connection.value = name
            $0.roaming.value = roaming
        }
        #expect(Sample.codes(constraint.verdict(under: conditions)) == codes)
        conditions.network.value = .none
        #expect(Sample.codes(constraint.verdict(under: conditions)).isEmpty)
    }

    @Test("The order of the names does not matter")
    func order() {
        #expect(ConnectionConstraint(denied: ["b", "a"]) == ConnectionConstraint(denied: ["a", "b"]))
    }
}
