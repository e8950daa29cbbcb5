// SPDX-License-Identifier: Apache-2.0

/// An error that goes over the bus under a name of its own.
package struct BusFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error; the names are part of the interface.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// What came with the call makes no sense; the message names the key and what would be right.
        case invalidArgument = "InvalidArgument"
        /// There is no such transfer among those that the caller may reach.
        case noSuchTransfer = "NoSuchTransfer"
        /// No app of that name has transfers that are not over.
        case noSuchApp = "NoSuchApp"
        /// The transfer is over, so that it can no longer be steered.
        case transferEnded = "TransferEnded"
        /// The app has as many open transfers as it may have.
        case tooManyTransfers = "TooManyTransfers"
        /// The caller's app has as much of something as it may have; the message says of what, and the limit.
        case limitExceeded = "LimitExceeded"
        /// The message is larger than what is taken.
        case messageTooLarge = "MessageTooLarge"
        /// Only the person may do that, by the command line.
        case accessDenied = "AccessDenied"
        /// The queue could not be saved; nothing was changed.
        case storeFailed = "StoreFailed"
        /// A session's identifier is empty or too long.
        case badIdentifier = "BadIdentifier"
        /// Another process uses the session; the message ends with `(process NUMBER)`.
        case sessionInUse = "SessionInUse"
        /// The caller does not use a session of that identifier.
        case noSuchSession = "NoSuchSession"
        /// The daemon is on its way out.
        case shuttingDown = "ShuttingDown"
    }

    /// Its kind.
    package var code: Code
    /// What was wrong and what would be right, for people.
    package var message: String

    /// An error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error's name on the bus.
    package var name: String { TransferBusName.errorPrefix + code.rawValue }

    /// The message.
    package var description: String { message }

    /// The error of that name on the bus; nil where it is none of the daemon's.
    package init?(name: String?, message: String) {
        guard let name, name.hasPrefix(TransferBusName.errorPrefix),
            let code = Code(rawValue: String(name.dropFirst(TransferBusName.errorPrefix.count)))
        else { return nil }
        self.init(code, message)
    }
}
