// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// A handler for SIGINT, SIGTERM and SIGHUP. The first signal requests an orderly end, and the second ends the
/// program immediately.
///
/// The latest handler that exists receives the first signal. A handler that is created afterward is called at once, so
/// that no signal is lost between two steps of a command. Without a handler, the first signal ends the program too.
///
/// A signal that was ignored when the program started (under nohup, or in a shell's background job) stays ignored.
final class Interruption: Sendable {
    private struct State: Sendable {
        var signal: Int32?
        var handlers: [(id: ObjectIdentifier, body: @Sendable () -> Void)] = []
    }
    private static let state = Mutex(State())
    private static let queue = DispatchQueue(label: "transferctl.signals")
    // Guard: set once, before the first handler is added, and only kept alive afterward.
    private nonisolated(unsafe) static let sources = startSources()

    /// The first signal that the program received, or `nil` if there was none.
    static var signal: Int32? { state.withLock { $0.signal } }

    /// Calls `handler` on a private queue at the first signal.
    init(handler: @escaping @Sendable () -> Void) {
        _ = Self.sources
        let wasSignaled = Self.state.withLock { state in
            state.handlers.append((ObjectIdentifier(self), handler))
            return state.signal != nil
        }
        if wasSignaled { Self.queue.async(execute: handler) }
    }

    deinit {
        let id = ObjectIdentifier(self)
        Self.state.withLock { state in state.handlers.removeAll { $0.id == id } }
    }

    private static func startSources() -> [any DispatchSourceSignal] {
        let registered = DispatchGroup()
        let sources = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { receive(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
            return source
        }
        // Dispatch catches the signals on a thread of its own. What follows relies on it, such as files that must be
        // removed at an early end.
        registered.wait()
        return sources
    }

    private static func receive(_ number: Int32) {
        let handler = state.withLock { state -> (@Sendable () -> Void)? in
            // At the second signal, the user does not want to wait for the disk.
            guard state.signal == nil else { return nil }
            state.signal = number
            return state.handlers.last?.body
        }
        guard let handler else { _exit(128 + number) }
        Console.interrupt()
        handler()
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Functions cannot be compared, but their addresses can.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
