// SPDX-License-Identifier: Apache-2.0
package import GLibBridge

/// A type whose values go over the bus as dictionaries (`a{sv}`), by its `Codable` conformance.
///
/// The conformance says which values there are; the layout says what the keys are called on the bus and what values they
/// take. So a type may be stored under other keys than it is sent.
///
/// ```swift
/// extension ChallengeDescription: VariantCoded {
///     package static let busLayout = VariantLayout(
///         "a challenge", ["port": .init("port", whole: 0...65_535), "isSecure": "secure"])
/// }
/// let challenge = try ChallengeDescription(fields)
/// ```
package protocol VariantCoded: Codable {
    /// The keys of the type on the bus.
    static var busLayout: VariantLayout { get }
    /// The values of keys that may be left out; needed keys in it are ignored.
    static var busDefaults: [String: VariantValue] { get }

    /// Checks a value that came over the bus, as far as its keys do not.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    func checkReceived() throws
}

extension VariantCoded {
    /// No defaults: keys of optional properties may be left out, all others are needed.
    package static var busDefaults: [String: VariantValue] { [:] }

    /// Takes every value.
    package func checkReceived() {}

    /// The dictionary that the bus carries; properties that are nil are left out.
    package var fields: [String: VariantValue] { VariantEncoding.fields(of: self) }

    /// Reads a dictionary that came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ fields: [String: VariantValue]) throws {
        self = try VariantDecoding.value(Self.self, of: fields)
    }
}

/// A type whose values go over the bus as a pair of two values.
package protocol VariantPaired: Codable {
    /// The pair.
    var pair: [VariantValue] { get }
    /// The value of a pair; nil where it is none.
    init?(pair: [VariantValue])
}

/// The keys of a type on the bus.
package struct VariantLayout: Sendable {
    /// The type's name in errors, such as "a task". Dictionaries with other keys are refused; nil: other keys are ignored.
    let noun: String?
    /// The way in which the case of an enumeration is told; nil for a type that is none.
    let tag: VariantTag?
    private let fields: [String: VariantField]

    /// A layout.
    ///
    /// - Parameter keys: what is said of properties, by their names. A property that is missing here has a key of its own
    ///   name. Values of an enumeration's case go by `case.label`, else by `label`; those without a label by `_0` and `_1`.
    package init(_ noun: String? = nil, tag: VariantTag? = nil, keys fields: [String: VariantField] = [:]) {
        (self.noun, self.tag, self.fields) = (noun, tag, fields)
    }

    /// The field of a property, or of a value of the enumeration's case.
    func field(_ property: String, of name: String?) -> VariantField {
        name.flatMap { fields["\($0).\(property)"] } ?? fields[property] ?? VariantField(property)
    }

    /// The layout of types that have none.
    static let plain = VariantLayout()

    /// The layout of a type.
    static func of(_ type: Any.Type) -> VariantLayout { (type as? any VariantCoded.Type)?.busLayout ?? plain }
}

/// The way in which a dictionary tells which case of an enumeration it stands for.
package struct VariantTag: Sendable {
    /// The key whose text names the case; nil where a case is known by a key that only it has.
    let key: String?
    /// Whether the key is missing is told by these words.
    let need: String?
    /// The texts, or the keys, and the cases that they stand for. The key "" stands for the absence of the others.
    let words: [(word: String, name: String)]

    /// Each case has a word of its own as the value of `key`; the case `willBegin` has the word `will-begin`.
    package static func word(_ key: String, need: String, _ words: [String]) -> VariantTag {
        VariantTag(key: key, need: need, words: words.map { ($0, camelCase($0)) })
    }

    /// Each case is known by a key that the others do not have.
    package static func presence(_ words: KeyValuePairs<String, String>) -> VariantTag {
        VariantTag(key: nil, need: nil, words: words.map { ($0, $1) })
    }

    private static func camelCase(_ word: String) -> String {
        let parts = word.split(separator: "-")
        return parts.dropFirst().reduce(String(parts[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

/// One key of a dictionary: what it is called, and what values it takes.
package struct VariantField: Sendable, ExpressibleByStringLiteral {
    /// The form of a value that has several.
    package enum Form: Sendable {
        /// The usual one: dates as RFC 3339.
        case usual
        /// A date as nanoseconds since 1970.
        case nanoseconds
        /// Header fields of a request, which are checked.
        case headers
        /// No value of its own: the value's keys stand among those of the one that has it. An optional one is there if one
        /// of these keys is.
        case inline([String])
    }

    /// The key.
    var key: String
    var form = Form.usual
    /// The whole numbers that are taken.
    var whole: ClosedRange<Int64> = .min ... .max
    /// The numbers that are taken.
    var number: ClosedRange<Double> = -.infinity ... .infinity
    /// The most bytes of a text.
    var most = 64 << 10
    /// Whether a number outside its range is sent as the nearest one within it.
    var isClamped = false
    /// Whether `false` and a dictionary without entries are left out.
    var omitsEmpty = false
    /// What the key says, for an error where it is missing; nil if it may be.
    var need: String?
    /// What the value must be, in an error; nil: what its type says.
    var expected: String?

    /// A key.
    package init(
        _ key: String, _ form: Form = .usual, whole: ClosedRange<Int64>? = nil, number: ClosedRange<Double>? = nil,
        most: Int? = nil, isClamped: Bool = false, omitsEmpty: Bool = false, need: String? = nil,
        expected: String? = nil
    ) {
        (self.key, self.form, self.isClamped, self.omitsEmpty) = (key, form, isClamped, omitsEmpty)
        self.whole = whole ?? self.whole
        self.number = number ?? self.number
        self.most = most ?? self.most
        (self.need, self.expected) = (need, expected)
    }

    /// A key that takes all values of its type.
    package init(stringLiteral key: String) { self.init(key) }

    /// No key: the value's keys stand among those of the one that has it.
    package static func inline(ifAny keys: String...) -> VariantField { VariantField("", .inline(keys)) }

    var isInline: Bool { if case .inline = form { true } else { false } }
}
