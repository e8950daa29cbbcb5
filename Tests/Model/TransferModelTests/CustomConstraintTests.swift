// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@Suite struct CustomConstraintTests {
    @Test(
        "A requirement is a name and values; its text says the same",
        arguments: [
            ("call=no", "call=no"), ("load=medium/low", "load=low/medium"), ("a-1=A.b_c-9", "a-1=A.b_c-9"),
            ("call=no/no", "call=no"),
        ])
    func text(text: String, canonical: String) throws {
        let constraint = try #require(CustomConstraint(text))
        #expect(constraint.description == canonical)
        let data = try JSONEncoder().encode([constraint])
        #expect(try JSONDecoder().decode([CustomConstraint].self, from: data) == [constraint])
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "call", "call=", "=no", "call=no/", "Call=no", "1a=no", "call=n o", "power=ac", "price=1", "a_b=no",
            "call=" + String(repeating: "x", count: 65), String(repeating: "a", count: 33) + "=no", "call=n\u{F6}",
        ])
    func refused(text: String) { #expect(CustomConstraint(text) == nil) }

    @Test(
        "A change adds a requirement, replaces one of the same condition, and removes all; stored rows decode without")
    func change() throws {
        var constraints = Constraints()
        var change = ConstraintChange()
        change.custom = ["load=low", "call=no"].compactMap { CustomConstraint($0) }
        change.apply(to: &constraints)
        #expect(constraints.custom.map(\.description) == ["call=no", "load=low"])
        #expect(ConstraintChange(constraints).constraints == constraints)
        change.custom = CustomConstraint("call=maybe").map { [$0] }
        change.apply(to: &constraints)
        #expect(constraints.custom.map(\.description) == ["call=maybe", "load=low"])
        change = ConstraintChange()
        change.removed = [.custom]
        change.apply(to: &constraints)
        #expect(constraints == Constraints())
        let data = try JSONEncoder().encode(constraints)
        var fields = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        fields["custom"] = nil
        let stored = try JSONSerialization.data(withJSONObject: fields)
        #expect(try JSONDecoder().decode(Constraints.self, from: stored) == Constraints())
    }
}
