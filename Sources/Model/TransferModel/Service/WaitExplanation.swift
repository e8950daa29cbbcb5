// SPDX-License-Identifier: Apache-2.0

/// The reasons why a transfer waits, as text and as data.
package struct WaitExplanation: Hashable, Sendable, Codable {
    /// All reasons in one sentence.
    package var sentence: String
    /// The wait reasons. Empty if nothing delays the transfer.
    package var reasons: [WaitReasonReport]
    /// The time spent on each kind of wait reason, or `nil` after the transfer has ended.
    package var waited: [WaitedTime]?
    /// The date of the next re-evaluation without an event, or `nil` if only an event can change the explanation.
    package var until: WallTime?
    /// The date on which conditions are next likely to be good, predicted from past weeks.
    package var expectedChance: WallTime?
    /// The deadline of the transfer, or `nil` if there is none.
    package var deadline: WallTime?
    /// The date at which the transfer starts in spite of the conditions, to meet its deadline.
    package var latestStart: WallTime?
    /// The danger to the deadline, or `nil` if there is none.
    package var deadlineState: DeadlineState?

    /// Creates an explanation.
    package init(sentence: String, reasons: [WaitReasonReport] = [], waited: [WaitedTime]? = nil) {
        (self.sentence, self.reasons, self.waited) = (sentence, reasons, waited)
    }
}

/// The time that a transfer has spent on one kind of wait reason.
package struct WaitedTime: Hashable, Sendable, Codable {
    /// The code of the wait reason.
    package var code: String
    /// The time in whole seconds, including time that overlaps with other reasons.
    package var seconds: Int64

    /// Creates a time for a code.
    package init(code: String, seconds: Int64) { (self.code, self.seconds) = (code, seconds) }
}

/// A reason why a transfer waits.
package struct WaitReasonReport: Hashable, Sendable {
    /// The stable name of the reason.
    package var code: String
    /// The reason as a sentence for users.
    package var sentence: String
    /// The date from which the underlying fact has been true, or `nil` if that date is not reported.
    package var since: WallTime?
    /// The source of the fact, or `nil` if the reason lies in the transfer itself.
    package var source: String?
    /// The confidence in the fact, or `nil` if the reason lies in the transfer itself.
    package var confidence: Confidence?
    /// The reason's own data by key. An unknown value is `nil`.
    package var details: [String: Detail?]

    /// A value of a reason's own data.
    package enum Detail: Hashable, Sendable {
        case text(String)
        case number(Int64)
        case flag(Bool)
        case date(WallTime)
        case texts([String])
    }

    /// Creates a reason without source and confidence.
    package init(code: String, sentence: String, details: [String: Detail?] = [:]) {
        (self.code, self.sentence, self.details) = (code, sentence, details)
    }
}

/// The reason's own data is encoded next to the common keys.
extension WaitReasonReport: Codable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        static let code = Self(stringValue: "code")
        static let sentence = Self(stringValue: "sentence")
        static let since = Self(stringValue: "since")
        static let source = Self(stringValue: "source")
        static let confidence = Self(stringValue: "confidence")
        static let own = [code, sentence, since, source, confidence].map(\.stringValue)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decodeIfPresent(String.self, forKey: .code) ?? ""
        sentence = try container.decode(String.self, forKey: .sentence)
        since = try container.decodeIfPresent(WallTime.self, forKey: .since)
        source = try container.decodeIfPresent(String.self, forKey: .source)
        confidence = try container.decodeIfPresent(Confidence.self, forKey: .confidence)
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
        try container.encodeIfPresent(confidence, forKey: .confidence)
        for (key, detail) in details { try container.encodeIfPresent(detail, forKey: Key(stringValue: key)) }
    }
}

extension WaitReasonReport.Detail: Codable {
    /// Decodes a value. A date is decoded as text, the form in which it was sent.
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

/// The details of a transfer.
package struct TransferDetails: Hashable, Sendable, Codable {
    /// The status of the transfer.
    package var status: TransferStatus
    /// The destination folder, or `nil` after the transfer has ended.
    package var directory: String?
    /// The constraints of the transfer, or `nil` after the transfer has ended.
    package var constraints: ConstraintChange?

    /// The transfer's own policy, or `nil` if the daemon's policy decides or the transfer has ended.
    package var policy: String?
    /// The program that the daemon starts after the transfer, and its arguments, or `nil` for none.
    package var onComplete: [String]?

    /// Creates the details of an ended transfer. For an unfinished transfer, the caller then sets `directory` and
    /// `constraints`.
    package init(_ status: TransferStatus) { self.status = status }
}
