// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Ends the process within five seconds of SIGTERM or SIGINT, whatever hangs: a worker, a disk, the bus or a caller.
///
/// What was acknowledged is on disk before it is acknowledged, so nothing is lost, and the status is 0. The log names the
/// parts that had not ended. The deadline has threads of its own, since Swift's may be those that hang.
final class ShutdownDeadline: Sendable {
    /// How long after the signal the log is told what hangs.
    static let patience = DispatchTimeInterval.milliseconds(4000)
    /// How long after that the process ends, whether the log has taken it or not.
    private static let lastWords = DispatchTimeInterval.milliseconds(500)

    private struct State {
        var parts: [String] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    private let logger: Logger
    private let details: @Sendable () -> [String]
    private let lastAct: @Sendable () -> Void

    /// - Parameters:
    ///   - details: what else is known of what hangs.
    ///   - lastAct: done before the process ends; must not block.
    init(logger: Logger, details: @escaping @Sendable () -> [String], lastAct: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.details = details
        self.lastAct = lastAct
    }

    /// The names of the parts that have begun and not ended.
    var open: [String] { state.withLock(\.parts) }

    /// Watches for the signals from now on.
    func watch(_ signals: [Int32] = [SIGTERM, SIGINT]) {
        let queue = DispatchQueue(label: "transferd.deadline")
        for number in signals {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // It keeps itself, until the end of the process.
            source.setEventHandler { withExtendedLifetime(source) { self.begin(on: queue) } }
            source.activate()
        }
    }

    private func begin(on queue: DispatchQueue) {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + Self.patience) { [self] in
            // The log may hang, too.
            DispatchQueue(label: "transferd.end").asyncAfter(deadline: .now() + Self.lastWords) { [lastAct] in
                lastAct()
                _exit(0)
            }
            lastAct()
            let parts = (open + details()).joined(separator: "; ")
            logger.error("ended without waiting any longer for what hangs", metadata: ["what": "\(parts)"])
            _exit(0)
        }
    }

    /// A service that is watched under a name.
    func watched(_ name: String, _ base: some Service) -> some Service {
        Watched(deadline: self, name: name, base: base)
    }

    /// Does something that is watched under a name.
    func watching<Value>(_ name: String, _ body: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.parts.append(name) }
        defer {
            state.withLock { state in
                if let place = state.parts.firstIndex(of: name) { state.parts.remove(at: place) }
            }
        }
        return try await body()
    }

    private struct Watched<Base: Service>: Service {
        let deadline: ShutdownDeadline
        let name: String
        let base: Base

        func run() async throws { try await deadline.watching(name) { try await base.run() } }
    }
}
