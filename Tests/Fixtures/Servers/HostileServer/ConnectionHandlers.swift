// SPDX-License-Identifier: Apache-2.0
import Glibc
import NIOCore

/// The ways to end a connection below TLS.
enum WireEnd: Sendable {
    /// Sends FIN. Under TLS, no close_notify alert precedes it, so a cut cannot be distinguished from an end.
    case cut
    /// Sends RST.
    case reset
}

/// The first handler of a connection, which ends the connection below TLS.
final class WireHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event as? WireEnd {
        case .cut:
            context.close(mode: .output, promise: promise)
        case .reset:
            // The option takes effect immediately, because this code runs on the channel's own thread.
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context.close(mode: .all, promise: promise)
        case nil:
            context.triggerUserOutboundEvent(event, promise: promise)
        }
    }
}

/// The last handler of a connection, which passes received bytes to the connection's thread and applies backpressure.
final class InboxHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let inbox: Inbox

    init(inbox: Inbox) { self.inbox = inbox }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        inbox.add(unwrapInboundIn(data).readableBytesView)
    }

    func read(context: ChannelHandlerContext) {
        if inbox.hasRoom() { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { inbox.end() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.end()
        context.fireChannelInactive()
    }

    /// Ignores broken connections and failed handshakes, because clients cause both in these tests.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

/// A handler of the listening socket that decides whether connections are accepted from the kernel's queue.
final class AdmissionHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    private let limit: ConnectionLimit?
    private var isAdmitting: Bool
    private var open = 0
    private var isReadPaused = false

    init(isAdmitting: Bool, limit: ConnectionLimit?) {
        self.isAdmitting = isAdmitting
        self.limit = limit
    }

    func read(context: ChannelHandlerContext) {
        let isFull = if case .waiting(let most)? = limit { open >= most } else { false }
        isReadPaused = isFull || !isAdmitting
        if !isReadPaused { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        if case .closing(let most)? = limit, open >= most {
            channel.close(promise: nil)
            return
        }
        open += 1
        channel.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { [self] _ in
            open -= 1
            if isReadPaused { read(context: context) }
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Admit else { return context.triggerUserOutboundEvent(event, promise: promise) }
        isAdmitting = true
        if isReadPaused { read(context: context) }
        promise?.succeed()
    }

    /// The event that starts the acceptance of connections.
    struct Admit: Sendable {}
}
