// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel

@testable import TransferBusProtocol

@Suite("Encoding of Codable values as D-Bus variants")
struct VariantCodingTests {
    private struct Inner: VariantCoded, Hashable {
        var size: Int32
        var names: Set<String>?
        static let busLayout = VariantLayout(
            "an inner value", keys: ["size": .init("how-large", whole: 0...9, need: "how large it is")])
    }

    private enum Shape: VariantCoded, Hashable {
        case point
        case wideBox(Int, Inner)
        case other(Inner?)
        static let busLayout = VariantLayout(
            tag: .word("shape", need: "which it is", ["point", "wide-box", "other"]),
            keys: ["wideBox._0": "width", "other._0": .inline(ifAny: "how-large"), "_1": "box"])
    }

    private struct Outer: VariantCoded, Hashable {
        var flag = false
        var text: String?
        var date = WallTime(secondsSinceEpoch: 0)
        var exact: WallTime?
        var share: Double = 0.5
        var bytes: [UInt8] = []
        var level: Float?
        var small: UInt8 = 3
        var inner: Inner?
        var list: [Inner] = []
        var words: [String: String] = [:]
        var shape = Shape.point
        static let busLayout = VariantLayout(
            "an outer value",
            keys: [
                "exact": .init("exact", .nanoseconds), "text": .init("text", most: 5), "shape": .inline(),
                "share": .init("share", number: 0...1, isClamped: true), "words": .init("words", omitsEmpty: true),
            ])
        static let busDefaults = Outer().fields.merging(["words": .dictionary([:])]) { $1 }
    }

    /// Converts fields to GLib's representation and back, as the bus does.
    private func sent(_ fields: [String: VariantValue]) throws -> [String: VariantValue] {
        VariantValue(copying: try VariantValue.dictionary(fields).variant(ofType: "a{sv}")).dictionary ?? [:]
    }

    private func fault(_ body: () throws -> Void) -> String? {
        do { try body() } catch {
            return (error as? BusFault).map { $0.code == .invalidArgument ? $0.message : nil } ?? nil
        }
        return nil
    }

    @Test("Values of all types survive a round trip, including nested values")
    func whole() throws {
        var outer = Outer()
        #expect(try Outer(sent(outer.fields)) == outer)
        (outer.flag, outer.text, outer.level, outer.small) = (true, "ä", 0.25, 255)
        outer.date = WallTime(nanosecondsSinceEpoch: 1_700_000_000_123_000_000)
        outer.exact = WallTime(nanosecondsSinceEpoch: -1_700_000_000_123_456_789)
        outer.bytes = [0, 255]
        outer.inner = Inner(size: 1, names: ["b", "a"])
        outer.list = [Inner(size: 2), Inner(size: 3, names: [])]
        outer.words = ["a": "b"]
        for shape in [Shape.point, .wideBox(7, Inner(size: 4)), .other(nil), .other(Inner(size: 5))] {
            outer.shape = shape
            #expect(try Outer(sent(outer.fields)) == outer)
        }
    }

    @Test("Nil values have no key, dates are RFC 3339 or nanoseconds, and cases are words")
    func form() {
        var outer = Outer()
        #expect(outer.fields["text"] == nil && outer.fields["exact"] == nil && outer.fields["words"] == nil)
        #expect(outer.fields["date"] == .string("1970-01-01T00:00:00.000Z"))
        #expect(outer.fields["small"] == .integer(3))
        #expect(outer.fields["shape"] == .string("point"))
        outer.exact = WallTime(nanosecondsSinceEpoch: 7)
        outer.inner = Inner(size: 1, names: ["b", "a"])
        outer.shape = .wideBox(7, Inner(size: 4))
        outer.share = 3
        #expect(outer.fields["exact"] == .integer(7))
        #expect(
            outer.fields["inner"]
                == .dictionary(["how-large": .integer(1), "names": .list([.string("a"), .string("b")])]))
        #expect(outer.fields["shape"] == .string("wide-box") && outer.fields["width"] == .integer(7))
        #expect(outer.fields["share"] == .double(1))
    }

    @Test("Missing keys have their defaults, and missing required keys are refused")
    func defaults() throws {
        #expect(try Outer(["shape": .string("point")]) == Outer())
        #expect(fault { _ = try Inner([:]) } == "'how-large' is missing: how large it is")
        #expect(fault { _ = try Outer([:]) } == "'shape' is missing: which it is")
    }

    @Test(
        "Invalid values are refused, and the error names the path of the key",
        arguments: [
            (
                ["colour": VariantValue.string("red")],
                "'colour' is not a key of an outer value; see the comments of the D-Bus interface"
            ),
            (["flag": .integer(1)], "'flag' must be true or false (b), not 1"),
            (["text": .integer(1)], "'text' must be a string (s), not 1"),
            (["text": .string("äääää")], "'text' has 10 bytes; the maximum is 5"),
            (["date": .string("soon")], "'date' must be an RFC 3339 date such as 2026-03-01T02:00:00Z, not 'soon'"),
            (["share": .double(.nan)], "'share' must be a number (d) from 0.0 to 1.0, not nan"),
            (["bytes": .list([])], "'bytes' must be bytes (ay), not a list"),
            (["inner": .string("x")], "'inner' must be a dictionary (a{sv}), not 'x'"),
            (
                ["inner": .dictionary(["how-large": .integer(10)])],
                "in 'inner': 'how-large' must be an integer (x) from 0 to 9, not 10"
            ),
            (
                ["inner": .dictionary(["how-large": .integer(1), "x": .bool(true)])],
                "in 'inner': 'x' is not a key of an inner value; see the comments of the D-Bus interface"
            ),
            (
                ["inner": .dictionary(["how-large": .integer(1), "names": .list([.bool(true)])])],
                "in 'inner': 'names' must be a list of strings (as), not a list"
            ),
            (["list": .dictionary([:])], "'list' must be a list, not a dictionary"),
            (["list": .list([.dictionary([:])])], "in 'list': 'how-large' is missing: how large it is"),
            (["list": .list([.integer(7)])], "'list' must be a dictionary (a{sv}), not 7"),
            (
                ["words": .dictionary(["a": .integer(1)])],
                "'words' must be a dictionary of strings (a{sv} of s, or a{ss}), not a dictionary"
            ),
            (["shape": .string("cube")], "'shape' must be one of point, wide-box, other, not 'cube'"),
        ])
    func refused(fields: [String: VariantValue], message: String) {
        #expect(fault { _ = try Outer(["shape": .string("point")].merging(fields) { $1 }) } == message)
    }

    @Test("A number out of the range of its type is refused")
    func overflow() {
        #expect(
            fault { _ = try Outer(["shape": .string("point"), "small": .integer(256)]) }?.hasPrefix("'small'") == true)
    }

    private indirect enum Chain: VariantCoded {
        case end
        case next(Chain)
        static let busLayout = VariantLayout(
            tag: .word("link", need: "whether it goes on", ["end", "next"]), keys: ["_0": "rest"])
    }

    @Test("Deeply nested values are refused before the stack overflows")
    func depth() {
        var fields: [String: VariantValue] = ["link": .string("end")]
        for _ in 0..<10 { fields = ["link": .string("next"), "rest": .dictionary(fields)] }
        #expect(throws: Never.self) { try Chain(fields) }
        for _ in 0..<100 { fields = ["link": .string("next"), "rest": .dictionary(fields)] }
        #expect(fault { _ = try Chain(fields) }?.hasSuffix("values are nested more than 32 levels deep") == true)
    }

    @Test("Long lists and long texts are read or refused quickly")
    func size() throws {
        let items = Array(repeating: VariantValue.dictionary(["how-large": .integer(1)]), count: 10_000)
        #expect(try Outer(["shape": .string("point"), "list": .list(items)]).list.count == 10_000)
        let text = String(repeating: "a", count: 1 << 20)
        #expect(
            fault { _ = try Outer(["shape": .string("point"), "text": .string(text)]) }
                == "'text' has 1048576 bytes; the maximum is 5")
    }
}
