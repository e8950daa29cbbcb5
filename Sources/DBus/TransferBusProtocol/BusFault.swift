// SPDX-License-Identifier: Apache-2.0

/// An error of the daemon, with its own name on the bus.
package struct BusFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error. Their names are part of the D-Bus interface.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// An argument is invalid. The message names the key and the expected value.
        case invalidArgument = "InvalidArgument"
        /// The caller may access no transfer with that ID.
        case noSuchTransfer = "NoSuchTransfer"
        /// No app with that name has unfinished transfers.
        case noSuchApp = "NoSuchApp"
        /// The transfer has ended and can no longer be controlled.
        case transferEnded = "TransferEnded"
        /// The app has reached its maximum number of unfinished transfers.
        case tooManyTransfers = "TooManyTransfers"
        /// The caller's app has reached a limit. The message names the resource and the limit.
        case limitExceeded = "LimitExceeded"
        /// The message exceeds the maximum size.
        case messageTooLarge = "MessageTooLarge"
        /// The caller may not do this; the message says why.
        case accessDenied = "AccessDenied"
        /// The queue could not be saved. Nothing was changed.
        case storeFailed = "StoreFailed"
        /// The identifier of a session is empty or too long.
        case badIdentifier = "BadIdentifier"
        /// Another process uses the session. The message ends with `(process NUMBER)`.
        case sessionInUse = "SessionInUse"
        /// The caller has no open session with that identifier.
        case noSuchSession = "NoSuchSession"
        /// The daemon is shutting down.
        case shuttingDown = "ShuttingDown"
    }

    /// The kind of the error.
    package var code: Code
    /// A description of the error and its remedy, in English.
    package var message: String

    /// Creates an error from its kind and message.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The name of the error on the bus.
    package var name: String { TransferBusName.errorPrefix + code.rawValue }

    /// The same text as `message`.
    package var description: String { message }

    /// Creates an error from its name on the bus. Returns `nil` if the name does not belong to the daemon.
    package init?(name: String?, message: String) {
        guard let name, name.hasPrefix(TransferBusName.errorPrefix),
            let code = Code(rawValue: String(name.dropFirst(TransferBusName.errorPrefix.count)))
        else { return nil }
        self.init(code, message)
    }
}
