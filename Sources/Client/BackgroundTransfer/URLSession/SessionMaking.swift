// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// A type whose initializer may return an existing session. Only an extension of a protocol may assign `self`.
///
/// `URLSession` is the only conforming type.
public protocol SessionMaking {}

extension SessionMaking {
    /// Creates a session with a configuration, a delegate and a queue.
    ///
    /// A process has at most one background session with a given identifier. If the session exists, the initializer
    /// returns that session with its first delegate.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the session. A configuration with an identifier makes it a background
    ///     session.
    ///   - delegate: The object that receives the events. A background session requires a delegate, and retains the
    ///     delegate until the session is invalidated.
    ///   - queue: The queue on which the delegate's methods are called. With `nil`, the session creates a serial queue.
    public init(
        configuration: FoundationNetworking.URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self = Self.session(configuration, delegate, queue)
    }

    /// Creates a session without a delegate. A background session requires a delegate: with an identifier in the
    /// configuration, the program ends with a message.
    ///
    /// - Parameter configuration: The settings of the session.
    public init(configuration: FoundationNetworking.URLSessionConfiguration) {
        self = Self.session(configuration, nil, nil)
    }

    private static func session(
        _ configuration: FoundationNetworking.URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) -> Self {
        guard let session = URLSession.made(configuration, delegate, queue) as? Self else {
            fatalError("\(Self.self) is a subclass of URLSession; create a URLSession instead.")
        }
        return session
    }
}
