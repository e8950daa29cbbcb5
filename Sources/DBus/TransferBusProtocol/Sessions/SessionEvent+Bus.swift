// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
internal import TransferModel

extension SessionEvent {
    /// The kinds of event, as they are called on the bus.
    private enum Word: String, CaseIterable {
        case received
        case sent
        case continued
        case responded
        case downloaded
        case body
        case completed
        case willBegin = "will-begin"
        case challenged
        case called
        case finishedEvents = "finished-events"
        case invalidated
    }

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [:]
        let word: Word
        switch kind {
        case .received(let bytes, let total):
            word = .received
            (fields["bytes"], fields["total"]) = (.integer(bytes), total.map(VariantValue.integer))
        case .sent(let bytes, let total):
            word = .sent
            (fields["bytes"], fields["total"]) = (.integer(bytes), total.map(VariantValue.integer))
        case .continued(let offset, let total):
            word = .continued
            (fields["bytes"], fields["total"]) = (.integer(offset), total.map(VariantValue.integer))
        case .responded(let response):
            word = .responded
            fields["response"] = .dictionary(response.fields)
        case .downloaded(let path):
            word = .downloaded
            fields["path"] = .string(path)
        case .body(let bytes):
            word = .body
            fields["body"] = .bytes(bytes)
        case .completed(let failure):
            word = .completed
            fields["error-code"] = failure.map { .integer(Int64($0.code)) }
            fields["error"] = failure.map { .string($0.message) }
        case .willBegin(let request):
            word = .willBegin
            fields["request"] = .dictionary(request.fields)
        case .challenged(let challenge):
            word = .challenged
            fields["challenge"] = .dictionary(challenge.fields)
        case .called: word = .called
        case .finishedEvents: word = .finishedEvents
        case .invalidated(let refusal):
            word = .invalidated
            fields["refusal"] = refusal.map { .dictionary($0.fields) }
        }
        fields["event"] = .string(word.rawValue)
        fields["number"] = number.map(VariantValue.integer)
        fields["task"] = task.map { .integer(Int64($0)) }
        return fields
    }

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        let word = try BusFields.needed(fields.choice("event", of: Word.self), "event", "what happened")
        self.init(
            number: try fields.integer("number", in: 0 ... .max),
            task: try fields.integer("task", in: 1 ... .max).map(Int.init), try Self.kind(word, &fields))
        try fields.end(in: "the event '\(word.rawValue)'")
    }

    private static func kind(_ word: Word, _ fields: inout BusFields) throws -> Kind {
        switch word {
        case .received: .received(try bytes(&fields), total: try fields.integer("total", in: 0 ... .max))
        case .sent: .sent(try bytes(&fields), total: try fields.integer("total", in: 0 ... .max))
        case .continued: .continued(offset: try bytes(&fields), total: try fields.integer("total", in: 0 ... .max))
        case .responded:
            .responded(
                try BusFields.needed(fields.nested("response", ResponseDescription.init), "response", "the answer"))
        case .downloaded:
            .downloaded(path: try BusFields.needed(fields.string("path"), "path", "the finished file's path"))
        case .body: .body(try BusFields.needed(fields.bytes("body"), "body", "a part of the answer"))
        case .completed: .completed(try failure(&fields))
        case .willBegin:
            .willBegin(
                try BusFields.needed(
                    fields.nested("request", RequestDescription.init), "request", "what would be asked for"))
        case .challenged:
            .challenged(
                try BusFields.needed(
                    fields.nested("challenge", ChallengeDescription.init), "challenge", "what the server wants"))
        case .called: .called
        case .finishedEvents: .finishedEvents
        case .invalidated: .invalidated(try fields.nested("refusal", SessionRefusal.init))
        }
    }

    private static func bytes(_ fields: inout BusFields) throws -> Int64 {
        try BusFields.needed(fields.integer("bytes", in: 0 ... .max), "bytes", "how many there are")
    }

    private static func failure(_ fields: inout BusFields) throws -> FailureDescription? {
        guard let code = try fields.integer("error-code", in: -100_000...100_000) else { return nil }
        return FailureDescription(
            code: Int(code), message: try BusFields.needed(fields.string("error"), "error", "what went wrong"))
    }
}

extension ChallengeDescription {
    /// What goes over the bus.
    var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "scheme": .string(scheme), "host": .string(host), "port": .integer(Int64(port)), "secure": .bool(isSecure),
            "refusals": .integer(Int64(refusals)),
        ]
        fields["realm"] = .optional(realm)
        return fields
    }

    /// Reads what came over the bus.
    init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        self.init(
            scheme: try BusFields.needed(fields.string("scheme", most: 40), "scheme", "basic, digest or bearer"),
            realm: try fields.string("realm"),
            host: try BusFields.needed(fields.string("host", most: 4096), "host", "who asks"),
            port: Int(try BusFields.needed(fields.integer("port", in: 0...65_535), "port", "the server's")),
            isSecure: try fields.flag("secure") ?? false,
            refusals: Int(try fields.integer("refusals", in: 0...1_000_000) ?? 0))
        try fields.end(in: "a challenge")
    }
}
