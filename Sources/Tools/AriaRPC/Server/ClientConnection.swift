// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import FlyingSocks
import Foundation
import Glibc

/// Answers the requests of one connection, within limits.
///
/// A body is read only after the header fields are checked. One of more than 64 KiB is read only if its first 64 KiB
/// contain the right token, and while no other is in memory. Any program of any user of this machine can therefore not
/// do more than keep others waiting for a moment.
struct ClientConnection: Sendable {
    /// The maximum number of bytes that are read after a request was refused.
    private static let maximumDiscardedBytes = 4 << 20

    private let socket: AsyncSocket
    private let client: RPCClient
    private let handler: RPCHandler
    private let deadline = RequestDeadline()
    private let reader: ConnectionReader

    /// Accepts connections of listening sockets until the task is canceled.
    static func serve(_ listener: AsyncSocket, _ slots: ConnectionSlots, _ handler: RPCHandler) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let socket: AsyncSocket
                do { socket = try await listener.accept() } catch {
                    // For example too many open files: a pause, so that others can end.
                    try await Task.sleep(for: .milliseconds(100))
                    continue
                }
                let id = await slots.enter { Self.end(socket) }
                group.addTask {
                    await ClientConnection(socket, RPCClient(id: id, slots: slots), handler).run()
                    await slots.leave(id)
                    try? socket.close()
                }
            }
        }
    }

    /// Ends all reading and writing, which wakes whoever waits for them.
    private static func end(_ socket: AsyncSocket) { shutdown(socket.socket.file.rawValue, Int32(SHUT_RDWR)) }

    private init(_ socket: AsyncSocket, _ client: RPCClient, _ handler: RPCHandler) {
        (self.socket, self.client, self.handler) = (socket, client, handler)
        reader = ConnectionReader(socket, deadline)
    }

    private func run() async {
        await withTaskGroup { group in
            group.addTask { try? await answerRequests() }
            group.addTask { await deadline.wait() }
            await group.next()
            Self.end(socket)
            group.cancelAll()
        }
    }

    private func answerRequests() async throws {
        while true {
            let head: RequestHead
            do { head = try RequestHead(await reader.head()) } catch let fault as RPCFault {
                return try await refuse(RPCHandler.text(.badRequest, fault.message))
            }
            if let refusal = handler.refusal(of: head) { return try await refuse(refusal) }
            if head.bodyBytes > 0, head.request.headers[HTTPHeader("Expect")]?.lowercased() == "100-continue" {
                try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
            guard let body = try await body(of: head) else { return try await refuse(handler.tooLong(head)) }
            let response = await handler.response(to: head.request, body, from: client)
            await client.slots.releaseLongText(client.id)
            if case .webSocket(let conversation) = response.payload {
                try await write(response, isKeptAlive: true)
                return try await exchangeFrames(conversation)
            }
            try await write(response, isKeptAlive: head.isKeptAlive)
            guard head.isKeptAlive else { return }
        }
    }

    /// Reads the body of a request, or returns `nil` if the client may not send one of its size.
    private func body(of head: RequestHead) async throws -> Data? {
        guard head.bodyBytes > RPCClient.maximumStrangerBytes else { return try await reader.bytes(head.bodyBytes) }
        let start = try await reader.bytes(RPCClient.maximumStrangerBytes)
        guard await handler.mayContinue(start, from: client) else { return nil }
        await client.slots.claimLongText(client.id)
        return try await start + reader.bytes(head.bodyBytes - start.count)
    }

    /// Answers a request whose body is not read, and ends the connection, because the body still follows.
    private func refuse(_ response: HTTPResponse) async throws {
        try await write(response, isKeptAlive: false)
        shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
        try await reader.discard(atMost: Self.maximumDiscardedBytes)
    }

    private func write(_ response: HTTPResponse, isKeptAlive: Bool) async throws {
        let body = try await response.bodyData
        var lines = ["\(response.version.rawValue) \(response.statusCode.code) \(response.statusCode.phrase)"]
        lines += response.headers.map { "\($0.key.rawValue): \($0.value)" }
        if case .httpBody = response.payload {
            lines += ["Content-Length: \(body.count)", "Connection: \(isKeptAlive ? "keep-alive" : "close")"]
        }
        try await write(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    private func write(_ data: Data) async throws {
        deadline.answering()
        try await socket.write(data)
        deadline.answered()
    }

    /// Passes frames between a WebSocket and its conversation, until either ends.
    private func exchangeFrames(_ conversation: any WSHandler) async throws {
        let frames = try await conversation.makeFrames(
            for: AsyncThrowingStream { try await reader.frame(from: client) })
        var isOpen = true
        // The conversation ends by itself once the socket has ended.
        for await frame in frames where isOpen {
            do {
                try await write(SocketConversation.bytes(of: frame))
                isOpen = frame.opcode != .close
            } catch {
                isOpen = false
            }
            if !isOpen { Self.end(socket) }
        }
    }
}
