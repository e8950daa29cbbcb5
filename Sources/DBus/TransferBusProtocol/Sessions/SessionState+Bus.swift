// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// A session as `OpenSession` answers: how it stands, and the object by which it is steered.
package struct SessionAnswer: Hashable, Sendable {
    /// The object's path.
    package var path: String
    /// How it stands.
    package var state: SessionState

    /// An answer.
    package init(path: String, state: SessionState) {
        self.path = path
        self.state = state
    }

    /// What goes over the bus.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "path": .string(path), "next-task": .integer(Int64(state.nextTask)),
            "tasks": .list(state.tasks.map { .dictionary($0.fields) }), "front": .bool(state.isInFront),
        ]
        fields["warning"] = .optional(state.warning)
        return fields
    }

    /// Reads what came over the bus.
    ///
    /// - Throws: `BusFault` that names the key, what was wrong with it and what would be right.
    package init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        path = try BusFields.needed(fields.string("path"), "path", "the session's object")
        let next = try BusFields.needed(
            fields.integer("next-task", in: 1 ... .max), "next-task", "the number of the next task")
        let tasks = try fields.list("tasks", of: "tasks", \.dictionary) ?? []
        state = SessionState(
            nextTask: Int(next), tasks: try tasks.map { try TaskSnapshot($0) }, warning: try fields.string("warning"))
        state.isInFront = try fields.flag("front") ?? state.isInFront
        try fields.end(in: "a session's state")
    }
}

extension SessionRefusal {
    /// What goes over the bus inside an event.
    var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = ["code": .string(code.rawValue), "message": .string(message)]
        fields["owner"] = owner.map { .integer(Int64($0)) }
        return fields
    }

    /// Reads what came over the bus inside an event.
    init(_ values: [String: VariantValue]) throws {
        var fields = BusFields(values)
        self.init(
            code: try BusFields.needed(fields.choice("code", of: Code.self), "code", "the kind of refusal"),
            message: try BusFields.needed(fields.string("message"), "message", "what was wrong"),
            owner: try fields.integer("owner", in: 1...Int64(Int32.max)).map(Int32.init))
        try fields.end(in: "a refusal")
    }

    /// The refusal that an error on the bus stands for; nil for errors of other kinds.
    package init?(_ fault: BusFault) {
        let code: Code
        switch fault.code {
        case .badIdentifier: code = .badIdentifier
        case .sessionInUse: code = .inUse
        case .noSuchSession: code = .noSuchSession
        case .limitExceeded: code = .limitExceeded
        case .storeFailed, .shuttingDown: code = .unavailable
        case .invalidArgument, .noSuchTransfer, .noSuchApp, .transferEnded, .tooManyTransfers, .messageTooLarge,
            .accessDenied:
            return nil
        }
        self.init(code: code, message: fault.message)
        guard code == .inUse, let (message, owner) = Self.parted(fault.message) else { return }
        (self.message, self.owner) = (message, owner)
    }

    /// Errors on the bus have a name and a message, no more: the process stands at the message's end.
    private static func parted(_ message: String) -> (message: String, owner: Int32)? {
        let head = " (process "
        guard message.hasSuffix(")"), let start = message.ranges(of: head).last,
            let owner = Int32(message[start.upperBound...].dropLast())
        else { return nil }
        return (String(message[..<start.lowerBound]), owner)
    }
}

extension BusFault {
    /// A refusal as an error on the bus.
    package init(_ refusal: SessionRefusal) {
        let code: Code =
            switch refusal.code {
            case .badIdentifier: .badIdentifier
            case .inUse: .sessionInUse
            case .invalid: .invalidArgument
            case .noSuchSession: .noSuchSession
            case .limitExceeded: .limitExceeded
            case .unavailable: .storeFailed
            }
        self.init(code, refusal.message + (refusal.owner.map { " (process \($0))" } ?? ""))
    }
}
