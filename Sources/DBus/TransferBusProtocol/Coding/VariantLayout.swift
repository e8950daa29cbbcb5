// SPDX-License-Identifier: Apache-2.0
package import GLibBridge

/// A type whose values are sent over the bus as dictionaries (`a{sv}`), based on its `Codable` conformance.
///
/// The conformance defines the values. The layout defines the names of their keys on the bus and the permitted
/// values. A type may therefore be stored under different keys than it is sent.
///
/// ```swift
/// extension ChallengeDescription: VariantCoded {
///     package static let busLayout = VariantLayout(
///         "a challenge", keys: ["port": .init("port", whole: 0...65_535), "isSecure": "secure"])
/// }
/// let challenge = try ChallengeDescription(fields)
/// ```
package protocol VariantCoded: Codable {
    /// The layout of the type on the bus.
    static var busLayout: VariantLayout { get }
    /// The values of keys that may be left out. Entries for required keys are ignored.
    static var busDefaults: [String: VariantValue] { get }

    /// Validates a received value beyond the checks of its keys.
    ///
    /// - Throws: `BusFault` that names the key, the error and its remedy.
    func checkReceived() throws
}

extension VariantCoded {
    /// No defaults: the keys of optional properties may be left out, and all others are required.
    package static var busDefaults: [String: VariantValue] { [:] }

    /// Accepts every value.
    package func checkReceived() {}

    /// The dictionary for the bus. Properties that are `nil` are left out.
    package var fields: [String: VariantValue] { VariantEncoding.fields(of: self) }

    /// Decodes a dictionary from the bus.
    ///
    /// - Throws: `BusFault` that names the key, the error and its remedy.
    package init(_ fields: [String: VariantValue]) throws {
        self = try VariantDecoding.value(Self.self, of: fields)
    }
}

/// A type whose values are sent over the bus as a pair.
package protocol VariantPaired: Codable {
    /// The two values of the pair.
    var pair: [VariantValue] { get }
    /// Creates a value from a pair. Returns `nil` if the pair is invalid.
    init?(pair: [VariantValue])
}

/// The keys of a type on the bus.
package struct VariantLayout: Sendable {
    /// The name of the type in error messages, such as "a task". With a name, unknown keys are refused; with `nil`,
    /// they are ignored.
    let noun: String?
    /// The representation of an enumeration's case. `nil` for a type that is not an enumeration.
    let tag: VariantTag?
    private let fields: [String: VariantField]

    /// Creates a layout.
    ///
    /// - Parameters:
    ///   - noun: The name of the type in error messages, or `nil` to ignore unknown keys.
    ///   - tag: The representation of an enumeration's case.
    ///   - fields: The fields of properties, by property name. A property without a field has a key with the name of
    ///     the property. An associated value is named `case.label` or `label`; values without a label are named `_0`
    ///     and `_1`.
    package init(_ noun: String? = nil, tag: VariantTag? = nil, keys fields: [String: VariantField] = [:]) {
        (self.noun, self.tag, self.fields) = (noun, tag, fields)
    }

    /// Returns the field of a property, or of an associated value of the enumeration's case.
    func field(_ property: String, of name: String?) -> VariantField {
        name.flatMap { fields["\($0).\(property)"] } ?? fields[property] ?? VariantField(property)
    }

    /// The layout of types that do not define a layout.
    static let plain = VariantLayout()

    /// Returns the layout of a type.
    static func of(_ type: Any.Type) -> VariantLayout { (type as? any VariantCoded.Type)?.busLayout ?? plain }
}

/// The representation of an enumeration's case in a dictionary.
package struct VariantTag: Sendable {
    /// The key whose text names the case. `nil` if a case is identified by a key that only this case has.
    let key: String?
    /// The meaning of the key, for the error if the key is missing.
    let need: String?
    /// The words (texts or keys) and the cases that they represent. The empty key represents the absence of the other
    /// keys.
    let words: [(word: String, name: String)]

    /// Returns a tag in which the value of `key` names the case. The case `willBegin` has the word `will-begin`.
    package static func word(_ key: String, need: String, _ words: [String]) -> VariantTag {
        VariantTag(key: key, need: need, words: words.map { ($0, camelCase($0)) })
    }

    /// Returns a tag in which each case is identified by a key that the other cases do not have.
    package static func presence(_ words: KeyValuePairs<String, String>) -> VariantTag {
        VariantTag(key: nil, need: nil, words: words.map { ($0, $1) })
    }

    private static func camelCase(_ word: String) -> String {
        let components = word.split(separator: "-")
        return components.dropFirst().reduce(String(components[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

/// A key of a dictionary, with the permitted values.
package struct VariantField: Sendable, ExpressibleByStringLiteral {
    /// The form of a value whose type has several forms on the bus.
    package enum Form: Sendable {
        /// The default form. Dates are RFC 3339.
        case usual
        /// A date as nanoseconds since 1970.
        case nanoseconds
        /// The header fields of a request, which are validated.
        case headers
        /// An inlined value. Its keys are part of the enclosing dictionary. An optional value is present if any of
        /// the given keys is present.
        case inline([String])
    }

    /// The name of the key.
    var key: String
    var form = Form.usual
    /// The range of permitted integers.
    var whole: ClosedRange<Int64> = .min ... .max
    /// The range of permitted numbers.
    var number: ClosedRange<Double> = -.infinity ... .infinity
    /// The maximum size of a text, in bytes. The default is 64 KiB.
    var most = 64 << 10
    /// Whether a number out of range is clamped when it is sent.
    var isClamped = false
    /// Whether `false` and empty dictionaries are left out when they are sent.
    var omitsEmpty = false
    /// The meaning of the key, for the error if the key is missing. `nil` if the key is optional.
    var need: String?
    /// A description of the expected value, for errors. `nil` means the description of the type.
    var expected: String?

    /// Creates a key with restrictions on its values.
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

    /// Creates a key that permits all values of its type.
    package init(stringLiteral key: String) { self.init(key) }

    /// Returns a field without a key. The keys of its value are part of the enclosing dictionary.
    package static func inline(ifAny keys: String...) -> VariantField { VariantField("", .inline(keys)) }

    var isInline: Bool { if case .inline = form { true } else { false } }
}
