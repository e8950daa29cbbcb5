// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Logging
import Synchronization

/// Ends the process within five seconds of SIGTERM or SIGINT, even if a worker, a disk, the bus, or a caller hangs.
///
/// Every acknowledged change is on disk before it is acknowledged. So nothing is lost, and the exit status is 0. The
/// log names the parts that had not ended. The deadline uses its own dispatch queues, because the threads of Swift
/// concurrency may be the ones that hang.
final class ShutdownDeadline: Sendable {
    /// The time from the signal until the log names the parts that hang.
    static let patience = DispatchTimeInterval.milliseconds(4000)
    /// The additional time after which the process ends even if logging hangs.
    private static let timeForLastMessage = DispatchTimeInterval.milliseconds(500)

    private struct State {
        var names: [String] = []
        var isRunning = false
        var isSignaled = false
        /// Called instead of the end of the process. The process ends if the call returns.
        var end: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())
    private let logger: Logger
    private let details: @Sendable () -> [String]
    private let lastAct: @Sendable () -> Void

    /// Creates a deadline, which starts with ``watch(_:)``.
    ///
    /// - Parameters:
    ///   - logger: The log that names the parts that hang.
    ///   - details: Returns further names of things that may hang.
    ///   - lastAct: Called before the process ends, twice if logging hangs. Must not block.
    init(logger: Logger, details: @escaping @Sendable () -> [String], lastAct: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.details = details
        self.lastAct = lastAct
    }

    /// The names of the parts that have started and not ended.
    var open: [String] { state.withLock(\.names) }

    /// Whether a signal has asked the process to end.
    var isSignaled: Bool { state.withLock(\.isSignaled) }

    /// Sets an action for the time at which the process would end because parts hang, such as continuing as another
    /// program. The process ends if the action returns.
    func onEnd(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.end = body } }

    /// Starts to watch for the signals.
    func watch(_ signals: [Int32] = [SIGTERM, SIGINT]) {
        let queue = DispatchQueue(label: "transferd.deadline")
        for number in signals {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // The handler keeps the source alive until the process ends.
            source.setEventHandler {
                withExtendedLifetime(source) {
                    self.state.withLock { $0.isSignaled = true }
                    self.begin(on: queue)
                }
            }
            source.activate()
        }
    }

    /// Starts the deadline without a signal.
    func begin() { begin(on: DispatchQueue(label: "transferd.deadline")) }

    private func begin(on queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.patience) { [self] in
            // Logging may hang, too.
            DispatchQueue(label: "transferd.end").asyncAfter(deadline: .now() + Self.timeForLastMessage) { [lastAct] in
                lastAct()
                self.end()
            }
            lastAct()
            let names = (open + details()).joined(separator: "; ")
            logger.error(
                "shutdown timed out; ended without waiting for parts that hang", metadata: ["what": "\(names)"])
            end()
        }
    }

    private func end() -> Never {
        state.withLock(\.end)()
        _exit(0)
    }

    /// Returns a service that counts as a part with the given name while it runs.
    func watched(_ name: String, _ body: @escaping @Sendable () async throws -> Void) -> Steps {
        Steps { try await self.watching(name, body) }
    }

    /// Runs an operation that counts as a part with the given name until it returns.
    func watching<Value>(_ name: String, _ body: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.names.append(name) }
        defer {
            state.withLock { state in
                if let index = state.names.firstIndex(of: name) { state.names.remove(at: index) }
            }
        }
        return try await body()
    }
}
