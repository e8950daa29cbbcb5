// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation

/// Answers the messages of a WebSocket one after another, and adds notifications once a call had the right token.
///
/// The next message is read only after the answer to the one before it was written. A client that does not read its
/// answers therefore makes none pile up, which is why this type replaces the library's handler of messages.
struct SocketConversation: WSHandler {
    let calls: RPCCalls
    let news: NewsFeed

    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let mailbox = Mailbox()
        let reader = Task {
            var message = WholeMessage()
            do {
                for try await frame in client {
                    guard let input = try message.add(frame) else { continue }
                    await mailbox.put(input)
                    if input == .close { break }
                }
            } catch {
                // The client has gone, or has sent what no WebSocket may.
            }
            await mailbox.close()
        }
        let answering = Answering(calls: calls, news: news, mailbox: mailbox)
        return AsyncStream {
            await answering.nextFrame()
        } onCancel: {
            reader.cancel()
            Task { await answering.end() }
        }
    }
}

/// An event on a WebSocket.
private enum Input: Hashable, Sendable {
    case message(Data)
    case ping(Data)
    case close
}

/// Puts the frames of a message together (RFC 6455, section 5.4).
private struct WholeMessage {
    private struct ProtocolError: Error {}

    private var payload: Data?

    /// Adds a frame. Returns the message that it completes.
    mutating func add(_ frame: WSFrame) throws -> Input? {
        switch frame.opcode {
        case .ping, .pong, .close:
            guard frame.fin, frame.payload.count <= 125 else { throw ProtocolError() }
            return frame.opcode == .ping ? .ping(frame.payload) : frame.opcode == .close ? .close : nil
        case .text, .binary:
            guard payload == nil else { throw ProtocolError() }
            payload = frame.payload
        case .continuation:
            guard payload != nil else { throw ProtocolError() }
            payload?.append(frame.payload)
        default: throw ProtocolError()
        }
        guard let whole = payload, whole.count <= RPCHandler.maximumBytes else { throw ProtocolError() }
        guard frame.fin else { return nil }
        payload = nil
        return .message(whole)
    }
}

/// Passes one input at a time, and notifications.
private actor Mailbox {
    /// The maximum number of notifications that wait. If a client does not read, the earliest are dropped.
    private static let maximumNews = 1000

    /// A content of the mailbox.
    enum Item: Hashable, Sendable {
        case input(Input)
        case news(String)
    }

    private var input: Input?
    private var news: [String] = []
    private var reader: CheckedContinuation<Void, Never>?
    private var writer: CheckedContinuation<Void, Never>?
    private var isClosed = false

    /// Ends all waits, now and later.
    func close() {
        isClosed = true
        wake(&reader)
        wake(&writer)
    }

    /// Puts an input in, and waits until it was taken.
    func put(_ input: Input) async {
        guard !isClosed else { return }
        self.input = input
        wake(&reader)
        await withCheckedContinuation { writer = $0 }
    }

    /// Puts a notification in.
    func offer(_ text: String) {
        news = news.suffix(Self.maximumNews - 1) + [text]
        wake(&reader)
    }

    /// Waits for an item, and takes it; `nil` once the mailbox is closed and empty. Notifications come first, because they
    /// are older than the answer to an input.
    func claim() async -> Item? {
        while true {
            if !news.isEmpty { return .news(news.removeFirst()) }
            if let input {
                self.input = nil
                wake(&writer)
                return .input(input)
            }
            guard !isClosed else { return nil }
            await withCheckedContinuation { reader = $0 }
        }
    }

    private func wake(_ waiting: inout CheckedContinuation<Void, Never>?) {
        waiting?.resume()
        waiting = nil
    }
}

/// Makes the frames for the client, one at a time, as the connection writes them.
private actor Answering {
    private let calls: RPCCalls
    private let news: NewsFeed
    private let mailbox: Mailbox
    private var subscription: NewsFeed.Subscription?

    init(calls: RPCCalls, news: NewsFeed, mailbox: Mailbox) {
        (self.calls, self.news, self.mailbox) = (calls, news, mailbox)
    }

    /// Returns the next frame, or `nil` at the end of the conversation.
    func nextFrame() async -> WSFrame? {
        switch await mailbox.claim() {
        case .news(let text)?: return Self.frame(Data(text.utf8))
        case .input(.ping(let data))?: return WSFrame(fin: true, opcode: .pong, mask: nil, payload: data)
        case .input(.message(let text))?:
            let answer = await calls.answer(text)
            if answer.isAuthorized, subscription == nil {
                subscription = await news.subscribe { [mailbox] text in await mailbox.offer(text) }
            }
            return Self.frame(answer.json)
        case .input(.close)?:
            await end()
            return .close()
        case nil:
            await end()
            return nil
        }
    }

    /// Ends the conversation and its notifications.
    func end() async {
        if let subscription { await news.cancel(subscription) }
        subscription = nil
        await mailbox.close()
    }

    private static func frame(_ text: Data) -> WSFrame { WSFrame(fin: true, opcode: .text, mask: nil, payload: text) }
}
