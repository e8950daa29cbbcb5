// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@Suite struct VariantBuildingTests {
    /// Returns the value after a round trip through GLib's own form.
    private func round(_ value: VariantValue, _ type: String) throws -> VariantValue {
        let variant = try value.variant(ofType: type)
        return VariantValue(copying: variant)
    }

    @Test(
        "Values survive a round trip in every D-Bus type",
        arguments: [
            (VariantValue.bool(true), "b"), (.integer(255), "y"), (.integer(-32768), "n"), (.integer(65535), "q"),
            (.integer(-1), "i"), (.integer(4_294_967_295), "u"), (.integer(.min), "x"), (.integer(.max), "t"),
            (.double(1.5), "d"), (.string("ä\u{1F600}"), "s"), (.string("/org/transferd"), "o"),
            (.list([.integer(1), .integer(2)]), "ax"), (.list([]), "aa{sv}"),
            (.list([.integer(.min), .integer(.max)]), "ax"), (.list([]), "ax"), (.list([]), "as"),
            (.list([.string("ä"), .string("")]), "as"), (.dictionary(["k": .list([.integer(-1)])]), "a{sax}"),
            (.list([.string("a"), .list([.bool(false)])]), "(sab)"), (.bytes([0, 255, 7]), "ay"), (.bytes([]), "v"),
            (.dictionary(["a": .integer(1), "b": .list([.string("c")])]), "a{sv}"),
            (.dictionary(["k": .dictionary(["n": .double(0)])]), "v"), (.dictionary([:]), "a{sv}"),
        ])
    func rounds(value: VariantValue, type: String) throws {
        #expect(try round(value, type) == value)
    }

    @Test("A long list of dictionaries survives a round trip")
    func long() throws {
        let rows = (0..<1000).map { number -> VariantValue in
            .dictionary(["id": .integer(Int64(number)), "name": .string("n\(number)"), "some": .list([.bool(true)])])
        }
        #expect(try round(.list(rows), "aa{sv}") == .list(rows))
    }

    @Test(
        "Values that do not match the type are refused",
        arguments: [
            (VariantValue.integer(256), "y"), (.integer(-1), "t"), (.integer(1 << 40), "i"), (.string("a\0b"), "s"),
            (.string("no path"), "o"), (.bool(true), "s"), (.list([.integer(1)]), "(xx)"), (.list([.string("")]), "ax"),
            (.other, "v"), (.integer(1), "(x"), (.integer(1), "xx"), (.dictionary(["a": .integer(1)]), "ax"),
        ])
    func refuses(value: VariantValue, type: String) {
        #expect(throws: VariantMismatchError.self) { try round(value, type) }
    }
}
