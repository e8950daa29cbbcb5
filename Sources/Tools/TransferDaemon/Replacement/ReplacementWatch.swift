// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import Synchronization

/// Waits until the program's file is replaced by a program that can continue the daemon's work, and then returns. The
/// group of services then ends in order, and the daemon continues as the new program.
///
/// A package manager replaces several files, one after the other. The watch therefore waits until the file has not
/// changed for a while. A program that cannot continue is logged; the daemon then works on.
final class ReplacementWatch: Service {
    private let program: ProgramFile?
    private let check: @Sendable (_ path: String) async -> ReplacementCheck.Outcome
    private let quietTime: Duration
    private let retryTime: Duration
    private let logger: Logger
    private let onAccepted: @Sendable () -> Void
    private let accepted = Mutex(false)

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - program: The running program. `nil` if it is unknown; nothing is then watched.
    ///   - quietTime: The time without a change after which a new file counts as complete.
    ///   - retryTime: The time after which a refused program is checked again, because the rest of its package may have
    ///     been missing. Each further check waits twice as long.
    ///   - logger: The log.
    ///   - check: Finds out whether a program can continue.
    ///   - onAccepted: Called before the services are ended.
    init(
        program: ProgramFile?, quietTime: Duration = .seconds(2), retryTime: Duration = .seconds(30), logger: Logger,
        check: @escaping @Sendable (_ path: String) async -> ReplacementCheck.Outcome,
        onAccepted: @escaping @Sendable () -> Void = {}
    ) {
        (self.program, self.quietTime, self.retryTime) = (program, quietTime, retryTime)
        (self.logger, self.check, self.onAccepted) = (logger, check, onAccepted)
    }

    /// The path of the program that continues the work. `nil` unless a program was accepted.
    var replacement: String? { accepted.withLock { $0 } ? program?.path : nil }

    func run() async throws {
        guard let program else { return try await gracefulShutdown() }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let watch = program.watch(onChange: { continuation.yield() }) else {
            logger.warning("cannot watch the program's file; an update takes effect at the next start")
            return try await gracefulShutdown()
        }
        defer { withExtendedLifetime(watch) {} }
        // Finds a replacement from before the watch began.
        continuation.yield()
        var refusals = Refusals(first: retryTime)
        for await _ in changes.cancelOnGracefulShutdown() {
            guard await isReplacedAndQuiet(program) else { continue }
            switch await check(program.path) {
            case .accepted(let version):
                logger.notice(
                    "the program was replaced; continuing as the new one", metadata: ["version": "\(version)"])
                accepted.withLock { $0 = true }
                onAccepted()
                return
            case .refused(let reason):
                if refusals.isNew(reason) {
                    logger.error(
                        "the program was replaced by one that cannot continue; this one continues until it is stopped",
                        metadata: ["why": "\(reason)"])
                }
                retry(after: refusals.delay()) { continuation.yield() }
            }
        }
    }

    /// Waits while the file changes. Returns `false` if the file is the running program, or if the services end.
    private func isReplacedAndQuiet(_ program: ProgramFile) async -> Bool {
        while program.isReplaced {
            let before = ProgramFile(at: program.path)
            do {
                try await cancelWhenGracefulShutdown { [quietTime] in
                    try await Task.sleep(for: quietTime, clock: .suspending)
                }
            } catch {
                return false
            }
            if let before, !before.isReplaced { return !Task.isShuttingDownGracefully }
        }
        return false
    }

    private func retry(after delay: Duration?, _ body: @escaping @Sendable () -> Void) {
        guard let delay else { return }
        Task {
            try? await Task.sleep(for: delay, clock: .suspending)
            body()
        }
    }

    /// The refusals of the same file, with the delays until it is checked again.
    private struct Refusals {
        private var reason: String?
        private var next: Duration
        /// The longest delay. A file that is refused for longer is checked again when it changes.
        private static let longest = Duration.seconds(600)

        init(first: Duration) { next = first }

        mutating func isNew(_ reason: String) -> Bool {
            defer { self.reason = reason }
            return self.reason != reason
        }

        mutating func delay() -> Duration? {
            guard next <= Self.longest else { return nil }
            defer { next *= 2 }
            return next
        }
    }
}
