// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking

/// Gives `URLSession` an initializer that answers with a session that lives already: only an extension of a protocol may
/// assign `self`.
public protocol SessionMaking {}

extension SessionMaking {
    /// A session as its configuration asks for.
    ///
    /// Of a background session that lives in this process there is only one: it is given again, with its first delegate.
    /// - Parameters:
    ///   - configuration: what it works by; one with an identifier makes it a background session.
    ///   - delegate: who is told what happens; a background session has to have one, and keeps it until it is invalidated.
    ///   - queue: what the delegate is called on; nil is a serial queue of the session's own.
    public init(
        configuration: FoundationNetworking.URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self = Self.session(configuration, delegate, queue)
    }

    /// A session without a delegate, which a background session cannot be.
    public init(configuration: FoundationNetworking.URLSessionConfiguration) {
        self = Self.session(configuration, nil, nil)
    }

    private static func session(
        _ configuration: FoundationNetworking.URLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue?
    ) -> Self {
        guard let session = URLSession.made(configuration, delegate, queue) as? Self else {
            fatalError("Sessions cannot be made of a subclass: \(Self.self) was asked for.")
        }
        return session
    }
}
