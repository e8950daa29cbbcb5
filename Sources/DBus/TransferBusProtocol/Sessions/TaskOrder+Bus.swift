// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
internal import TransferModel

extension TaskOrder {
    /// The kinds of order, as they are called on the bus.
    private enum Word: String, CaseIterable {
        case submit
        case suspend
        case resume
        case cancel
        case cancelKeeping = "cancel-keeping"
        case change
        case begin
        case answer
    }

    private enum BeginWord: String, CaseIterable {
        case asBefore = "as-before"
        case with
        case cancel
        case unasked
    }

    private enum AnswerWord: String, CaseIterable {
        case credential
        case token
        case none
        case cancel
    }

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        switch self {
        case .submit(let snapshot): Self.fields(.submit, nil, ["snapshot": .dictionary(snapshot.fields)])
        case .change(let snapshot): Self.fields(.change, nil, ["snapshot": .dictionary(snapshot.fields)])
        case .suspend(let task): Self.fields(.suspend, task)
        case .resume(let task): Self.fields(.resume, task)
        case .cancel(let task): Self.fields(.cancel, task)
        case .cancelKeeping(let task, let token): Self.fields(.cancelKeeping, task, ["token": .string(token)])
        case .begin(let task, let reply):
            switch reply {
            case .asBefore: Self.fields(.begin, task, ["reply": .string(BeginWord.asBefore.rawValue)])
            case .with(let request):
                Self.fields(
                    .begin, task,
                    ["reply": .string(BeginWord.with.rawValue), "request": .dictionary(request.fields)])
            case .cancel: Self.fields(.begin, task, ["reply": .string(BeginWord.cancel.rawValue)])
            case .unasked: Self.fields(.begin, task, ["reply": .string(BeginWord.unasked.rawValue)])
            }
        case .answer(let task, let reply):
            switch reply {
            case .credential(let user, let password):
                Self.fields(
                    .answer, task,
                    [
                        "reply": .string(AnswerWord.credential.rawValue), "user": .string(user),
                        "password": .string(password),
                    ])
            case .token(let token):
                Self.fields(
                    .answer, task, ["reply": .string(AnswerWord.token.rawValue), "token": .string(token)])
            case .none: Self.fields(.answer, task, ["reply": .string(AnswerWord.none.rawValue)])
            case .cancel: Self.fields(.answer, task, ["reply": .string(AnswerWord.cancel.rawValue)])
            }
        }
    }

    private static func fields(
        _ word: Word, _ task: Int?, _ more: [String: VariantValue] = [:]
    ) -> [String: VariantValue] {
        var fields = more
        fields["order"] = .string(word.rawValue)
        fields["task"] = task.map { .integer(Int64($0)) }
        return fields
    }

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        let word = try BusFields.needed(fields.choice("order", of: Word.self), "order", "what is to be done")
        self =
            switch word {
            case .submit: .submit(try Self.snapshot(&fields))
            case .change: .change(try Self.snapshot(&fields))
            case .suspend: .suspend(try Self.task(&fields))
            case .resume: .resume(try Self.task(&fields))
            case .cancel: .cancel(try Self.task(&fields))
            case .cancelKeeping:
                .cancelKeeping(
                    try Self.task(&fields),
                    token: try BusFields.needed(
                        fields.string("token", most: 4096), "token", "what the bytes are found by"))
            case .begin: .begin(try Self.task(&fields), try Self.begin(&fields))
            case .answer: .answer(try Self.task(&fields), try Self.answer(&fields))
            }
        try fields.end(in: "the order '\(word.rawValue)'")
    }

    private static func task(_ fields: inout BusFields) throws -> Int {
        Int(try BusFields.needed(fields.integer("task", in: 1 ... .max), "task", "the task's number in its session"))
    }

    private static func snapshot(_ fields: inout BusFields) throws -> TaskSnapshot {
        try BusFields.needed(fields.nested("snapshot", TaskSnapshot.init), "snapshot", "the task")
    }

    private static func begin(_ fields: inout BusFields) throws -> DelayedBegin {
        switch try BusFields.needed(fields.choice("reply", of: BeginWord.self), "reply", "whether the task begins") {
        case .asBefore: .asBefore
        case .cancel: .cancel
        case .unasked: .unasked
        case .with:
            .with(
                try BusFields.needed(
                    fields.nested("request", RequestDescription.init), "request", "what is asked for instead"))
        }
    }

    private static func token(_ fields: inout BusFields) throws -> String {
        let token = try BusFields.needed(
            fields.string("token", most: ChallengeReply.longestToken), "token", "what the server wants to see")
        // It is not said which: what is said may be logged.
        guard ChallengeReply.isToken(token) else {
            throw BusFault(.invalidArgument, "'token' has signs that a token has not (RFC 6750)")
        }
        return token
    }

    private static func answer(_ fields: inout BusFields) throws -> ChallengeReply {
        switch try BusFields.needed(fields.choice("reply", of: AnswerWord.self), "reply", "what the server is told") {
        case .none: .none
        case .cancel: .cancel
        case .token: .token(try token(&fields))
        case .credential:
            .credential(
                user: try BusFields.needed(fields.string("user", most: 4096), "user", "whose login it is"),
                password: try BusFields.needed(
                    fields.string("password", most: 4096), "password", "what proves that"))
        }
    }
}
