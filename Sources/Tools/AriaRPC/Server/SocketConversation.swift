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
    let client: RPCClient

    func makeFrames(for frames: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let mailbox = Mailbox()
        let reader = Task {
            var message = WholeMessage()
            do {
                for try await frame in frames {
                    let input = try message.add(frame, atMost: await client.maximumBytes)
                    if message.count > RPCClient.maximumStrangerBytes { await client.slots.claimLongText(client.id) }
                    guard let input else { continue }
                    await mailbox.put(input)
                    if case .close = input { break }
                }
            } catch let fault as FrameFault {
                await mailbox.put(.close(fault.code))
            } catch {
                // The client has gone.
            }
            await mailbox.close()
        }
        let answering = Answering(calls: calls, news: news, client: client, mailbox: mailbox)
        return AsyncStream {
            await answering.nextFrame()
        } onCancel: {
            reader.cancel()
            Task { await answering.end() }
        }
    }

    /// Returns the bytes of a frame to a client (RFC 6455, section 5.2).
    static func bytes(of frame: WSFrame) -> Data {
        let count = frame.payload.count
        var bytes = Data([(frame.fin ? 0x80 : 0) | frame.opcode.rawValue])
        switch count {
        case ...125: bytes.append(UInt8(count))
        case ...0xFFFF: bytes += [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: bytes += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        }
        return bytes + frame.payload
    }
}

/// An event on a WebSocket.
private enum Input: Hashable, Sendable {
    case message(Data)
    case ping(Data)
    case close(WSCloseCode)
}

/// Puts the frames of a message together (RFC 6455, section 5.4).
private struct WholeMessage {
    private var payload: Data?

    /// The number of bytes of the unfinished message.
    var count: Int { payload?.count ?? 0 }

    /// Adds a frame. Returns the message that it completes, which may have a number of bytes.
    mutating func add(_ frame: WSFrame, atMost maximum: Int) throws -> Input? {
        switch frame.opcode {
        case .ping, .pong, .close:
            guard frame.fin, frame.payload.count <= 125 else { throw FrameFault(.protocolError) }
            return frame.opcode == .ping ? .ping(frame.payload) : frame.opcode == .close ? .close(.normalClosure) : nil
        case .text, .binary:
            guard payload == nil else { throw FrameFault(.protocolError) }
            payload = frame.payload
        case .continuation:
            guard payload != nil else { throw FrameFault(.protocolError) }
            payload?.append(frame.payload)
        default: throw FrameFault(.protocolError)
        }
        guard let whole = payload, whole.count <= maximum else { throw FrameFault.tooLong(maximum) }
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
    private let client: RPCClient
    private let mailbox: Mailbox
    private var subscription: NewsFeed.Subscription?

    init(calls: RPCCalls, news: NewsFeed, client: RPCClient, mailbox: Mailbox) {
        (self.calls, self.news, self.client, self.mailbox) = (calls, news, client, mailbox)
    }

    /// Returns the next frame, or `nil` at the end of the conversation.
    func nextFrame() async -> WSFrame? {
        switch await mailbox.claim() {
        case .news(let text)?: return Self.frame(Data(text.utf8))
        case .input(.ping(let data))?: return WSFrame(fin: true, opcode: .pong, mask: nil, payload: data)
        case .input(.message(let text))?:
            let answer = await calls.answer(text)
            await client.slots.releaseLongText(client.id)
            await client.record(answer)
            if answer.isAuthorized, subscription == nil {
                subscription = await news.subscribe { [mailbox] text in await mailbox.offer(text) }
            }
            return Self.frame(answer.json)
        case .input(.close(let code))?:
            await end()
            return .close(code: code)
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
