// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The server's connection handling, with a record of its requests and open channels.
final class ConnectionWork: Sendable {
    struct State: Sendable {
        var requests: [HostileRequest] = []
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
        var connections = 0
    }
    let state = Mutex(State())
    private let greeting: HostileServer.Greeting?
    private let handler: HostileServer.Handler
    private let tls: NIOSSLContext?

    init(greeting: HostileServer.Greeting?, handler: @escaping HostileServer.Handler, tls: NIOSSLContext?) {
        self.greeting = greeting
        self.handler = handler
        self.tls = tls
    }

    /// Sets up the handlers of a new connection and starts the connection's thread.
    func prepare(_ channel: any Channel) throws {
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            state.channels[ObjectIdentifier(channel)] = channel
            state.connections += 1
            return state.connections
        }
        guard let number else {
            channel.close(promise: nil)
            return
        }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        let inbox = Inbox()
        try channel.pipeline.syncOperations.addHandler(WireHandler())
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        try channel.pipeline.syncOperations.addHandler(InboxHandler(inbox: inbox))
        Thread.detachNewThread { [self] in serve(HostileConnection(channel: channel, inbox: inbox), number) }
    }

    private func serve(_ connection: HostileConnection, _ number: Int) {
        greeting?(number, connection)
        while !connection.isEnded, let request = connection.readRequest(number: number) {
            state.withLock { $0.requests.append(request) }
            handler(request, connection)
        }
        connection.close()
    }
}
