// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// The reply to `OpenSession`: the state of the session, and the object that controls it.
package struct OpenSessionReply: Hashable, Sendable, Codable {
    /// The path of the session's object.
    package var path: String
    /// The state of the session.
    package var state: SessionState

    /// Creates a reply from a path and a state.
    package init(path: String, state: SessionState) {
        self.path = path
        self.state = state
    }
}

extension OpenSessionReply: VariantCoded {
    package static let busLayout = VariantLayout(
        "a session's state",
        keys: ["path": .init("path", need: "the path of the session's object"), "state": .inline()])
}

extension SessionState: VariantCoded {
    package static let busLayout = VariantLayout(keys: [
        "nextTask": .init("next-task", whole: 1 ... .max, need: "the number of the next task"), "isInFront": "front",
        "namedFilesFolder": "files-folder",
    ])
    package static let busDefaults = SessionState(nextTask: 1, tasks: []).fields
}

extension SessionRefusal {
    /// Creates a refusal from an error on the bus. Returns `nil` for other kinds of errors.
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
        guard code == .inUse, let (message, owner) = Self.splittingOwner(fault.message) else { return }
        (self.message, self.owner) = (message, owner)
    }

    /// Splits the owner from the end of a message. An error on the bus has only a name and a message.
    private static func splittingOwner(_ message: String) -> (message: String, owner: Int32)? {
        let head = " (process "
        guard message.hasSuffix(")"), let start = message.ranges(of: head).last,
            let owner = Int32(message[start.upperBound...].dropLast())
        else { return nil }
        return (String(message[..<start.lowerBound]), owner)
    }
}

extension BusFault {
    /// Creates an error on the bus from a refusal.
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
