// SPDX-License-Identifier: Apache-2.0

/// Why a transfer waits, in words and as data.
package struct WaitExplanation: Hashable, Sendable, Codable {
    /// All of it in one sentence.
    package var sentence: String
    /// The reasons; none: nothing holds it.
    package var reasons: [WaitReason]
    /// How long it has waited for each kind of reason; nil once it is over.
    package var waited: [WaitedTime]?
    /// When it is looked at again without anything happening; nil when only an event can change it.
    package var until: WallTime?
    /// When conditions are likely to be good next, going by past weeks.
    package var expectedChance: WallTime?

    /// An explanation.
    package init(sentence: String, reasons: [WaitReason] = [], waited: [WaitedTime]? = nil) {
        (self.sentence, self.reasons, self.waited) = (sentence, reasons, waited)
    }
}

/// The time that a transfer has waited for one kind of reason.
package struct WaitedTime: Hashable, Sendable, Codable {
    /// The reason's code.
    package var code: String
    /// Whole seconds, times that overlap with other reasons included.
    package var seconds: Int64

    /// A time.
    package init(code: String, seconds: Int64) { (self.code, self.seconds) = (code, seconds) }
}

/// One reason why a transfer waits.
package struct WaitReason: Hashable, Sendable {
    /// The reason's stable name.
    package var code: String
    /// The reason for people.
    package var sentence: String
    /// Since when the fact behind it holds; nil where that is not told.
    package var since: WallTime?
    /// Who said so; nil where the reason lies in the transfer itself.
    package var source: String?
    /// How sure the fact is; nil where the reason lies in the transfer itself.
    package var sureness: Sureness?
    /// The reason's own data, by its keys; a value that nobody knows is nil.
    package var details: [String: Detail?]

    /// A value of a reason's own data.
    package enum Detail: Hashable, Sendable {
        case text(String)
        case number(Int64)
        case flag(Bool)
        case date(WallTime)
        case texts([String])
    }

    /// A reason.
    package init(code: String, sentence: String, details: [String: Detail?] = [:]) {
        (self.code, self.sentence, self.details) = (code, sentence, details)
    }
}

/// The reason's own data stand among its other keys.
extension WaitReason: Codable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        static let code = Self(stringValue: "code")
        static let sentence = Self(stringValue: "sentence")
        static let since = Self(stringValue: "since")
        static let source = Self(stringValue: "source")
        static let sureness = Self(stringValue: "sureness")
        static let own = [code, sentence, since, source, sureness].map(\.stringValue)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decodeIfPresent(String.self, forKey: .code) ?? ""
        sentence = try container.decode(String.self, forKey: .sentence)
        since = try container.decodeIfPresent(WallTime.self, forKey: .since)
        source = try container.decodeIfPresent(String.self, forKey: .source)
        sureness = try container.decodeIfPresent(Sureness.self, forKey: .sureness)
        details = [:]
        for key in container.allKeys where !Key.own.contains(key.stringValue) {
            details[key.stringValue] = try container.decode(Detail.self, forKey: key)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(sentence, forKey: .sentence)
        try container.encodeIfPresent(since, forKey: .since)
        try container.encodeIfPresent(source, forKey: .source)
        try container.encodeIfPresent(sureness, forKey: .sureness)
        for (key, detail) in details { try container.encodeIfPresent(detail, forKey: Key(stringValue: key)) }
    }
}

extension WaitReason.Detail: Codable {
    /// A date is read as the text that it was sent as.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .texts(try container.decode([String].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .date(let date): try container.encode(date)
        case .texts(let texts): try container.encode(texts)
        }
    }
}
