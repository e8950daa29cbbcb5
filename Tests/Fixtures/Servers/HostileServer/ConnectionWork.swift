// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The server's connection handling, with a record of its requests and open connections.
final class ConnectionWork: Sendable {
    struct State: Sendable {
        var requests: [HostileRequest] = []
        /// The sockets of open connections, by the numbers of the connections.
        var open: [Int: LoopbackSocket] = [:]
        /// The clients that fill the backlog.
        var fillers: [LoopbackSocket] = []
        var connections = 0
        var isAdmitting: Bool
        var isStopped = false
    }
    let state: Mutex<State>
    let listener: LoopbackSocket
    private let limit: ConnectionLimit?
    private let greeting: HostileServer.Greeting?
    private let handler: HostileServer.Handler
    private let tls: TLSContext?
    /// A signal to the accepting thread that it may accept another connection, or that the server has stopped.
    private let change = DispatchSemaphore(value: 0)

    init(options: HostileServerOptions, greeting: HostileServer.Greeting?, handler: @escaping HostileServer.Handler)
        throws
    {
        tls = try options.certificate.map { try TLSContext($0) }
        guard let listener = LoopbackSocket.listening(on: options.host, backlog: options.backlog) else {
            throw HostileServerError("listen")
        }
        self.listener = listener
        state = Mutex(State(isAdmitting: options.isAdmitting))
        limit = options.limit
        self.greeting = greeting
        self.handler = handler
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// Starts to accept connections.
    func admit() {
        state.withLock { $0.isAdmitting = true }
        change.signal()
    }

    /// Resets all connections and stops listening.
    func stop() {
        let sockets = state.withLock { state in
            state.isStopped = true
            return state.open.values + state.fillers
        }
        listener.finish()
        change.signal()
        for socket in sockets { socket.reset() }
    }

    private func acceptConnections() {
        while waitForRoom() {
            guard let socket = listener.accept() else {
                // The process may have too many open files. A stopped server ends the loop.
                usleep(1000)
                continue
            }
            guard let number = number(for: socket) else { continue }
            Thread.detachNewThread { [self] in
                serve(socket, number)
                state.withLock { _ = $0.open.removeValue(forKey: number) }
                change.signal()
            }
        }
    }

    /// Waits until the next connection may be accepted. Returns `false` after the server has stopped.
    private func waitForRoom() -> Bool {
        while true {
            let (isStopped, hasRoom) = state.withLock { state in
                let isFull = if case .waiting(let most)? = limit { state.open.count >= most } else { false }
                return (state.isStopped, state.isAdmitting && !isFull)
            }
            if isStopped || hasRoom { return !isStopped }
            change.wait()
        }
    }

    /// Records a connection. Returns `nil` if it must be closed.
    private func number(for socket: LoopbackSocket) -> Int? {
        state.withLock { state in
            if case .closing(let most)? = limit, state.open.count >= most { return nil }
            if state.isStopped { return nil }
            state.connections += 1
            state.open[state.connections] = socket
            return state.connections
        }
    }

    private func serve(_ socket: LoopbackSocket, _ number: Int) {
        var stream: any ByteStream = socket
        if let tls {
            guard let secured = TLSStream(tls, on: socket) else { return }
            stream = secured
        }
        let connection = HostileConnection(socket, stream)
        greeting?(number, connection)
        while !connection.isEnded, let request = connection.readRequest(number: number) {
            state.withLock { $0.requests.append(request) }
            handler(request, connection)
        }
    }
}
