// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import HTTPExecutor
import LinuxClock
import Logging
import SQLiteStore
import Synchronization
internal import TransferModel
public import TransferPolicy
import TransferSessions
import TransferTesting
import URLSessionTransport

/// A harness with an engine in this process. Store, executor and clock are real; power and network are simulated.
///
/// The files are in a temporary folder. A restart stops the engine in an orderly way, because this process cannot
/// crash for it.
///
/// Rules S1 and S4 cannot be checked, because an embedded engine runs the sessions of one app and one process. Rule T10
/// cannot be checked, because the user cannot control the engine.
///
/// ```swift
/// try await SessionConformance { try await EmbeddedHarness() }.run(rule)
/// ```
public final class EmbeddedHarness: SessionHarness {
    private struct Engine {
        var transfers: TransferService
        var run: Task<Void, any Error>
        var source: ManualConditionSource
    }

    private let root: String
    private let policy: any Policy
    private let launcher = CountingLauncher()
    private let engine = Mutex<Engine?>(nil)
    private let conditions = Mutex(EmbeddedHarness.conditions(isOnACPower: true))

    /// Creates a harness with a running engine.
    ///
    /// - Parameter policy: The policy for discretionary tasks. A policy that lets them run on battery violates rule
    ///   S6.
    /// - Throws: An error if the temporary folder cannot be used.
    public init(policy: any Policy = StrictPolicy()) async throws {
        self.policy = policy
        root = NSTemporaryDirectory() + "session-rules-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root + "/state", withIntermediateDirectories: true)
        try start()
    }

    private static func conditions(isOnACPower: Bool) -> Conditions {
        let now = ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 0))
        var conditions = Conditions(unknownSince: now)
        conditions.power = Fact(isOnACPower ? .ac : .battery, source: .upower, since: now)
        conditions.network = Fact(.full, source: .kernel, since: now)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: now)
        conditions.metered = Fact(.no, source: .networkManager, since: now)
        return conditions
    }

    private func start() throws {
        let source = ManualConditionSource(conditions.withLock { $0 })
        var configuration = TransferService.Configuration()
        configuration.policy = policy
        configuration.conditions = source
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: root + "/state/queue.sqlite"))
        let executor = try HTTPExecutor(
            configuration: HTTPExecutorConfiguration(partialDirectory: root + "/state/partial"),
            transport: .urlSession)
        let transfers = TransferService(
            SessionConformance.app, configuration, folders: (root + "/state", root + "/cache"), store: store,
            executor: executor, alarm: try LinuxAlarm(), launcher: launcher,
            logger: Logger(label: "session-rules") { _ in SwiftLogNoOpLogHandler() })
        let run = Task { try await transfers.run() }
        engine.withLock { $0 = Engine(transfers: transfers, run: run, source: source) }
    }

    private func stop() async {
        let old = engine.withLock { engine in
            defer { engine = nil }
            return engine
        }
        old?.run.cancel()
        try? await old?.run.value
    }

    /// Opens another channel to the engine. Ignores the app.
    public func join(as app: String) async throws -> SessionProcess {
        guard let transfers = engine.withLock({ $0?.transfers }) else { throw ContractFailure("no engine is running") }
        let channel = transfers.makeChannel(named: UUID().uuidString)
        return SessionProcess(over: channel) { await channel.leave() }
    }

    /// Stops the engine and starts another engine on its files.
    public func restart() async throws {
        await stop()
        try start()
    }

    /// Returns the sessions for which the program would have been called.
    public func starts(of app: String) async throws -> [String] { launcher.sessions }

    /// Returns the delay of the engine's app.
    public func delay(of app: String) async throws -> Duration {
        await engine.withLock { $0?.transfers }?.relaunchDelay ?? .zero
    }

    /// Performs the daemon's actions at a force quit.
    public func quit(_ app: String) async throws { await engine.withLock { $0?.transfers }?.quit() }

    /// Reports the power supply to the engine.
    public func setMachine(isOnACPower: Bool) async throws {
        let new = Self.conditions(isOnACPower: isOnACPower)
        conditions.withLock { $0 = new }
        engine.withLock { $0?.source }?.send(new)
    }

    /// Returns a reason for rules S1, S4 and T10, and `nil` for all other rules.
    public func reasonNotCheckable(_ rule: SessionRule) -> String? {
        switch rule {
        case .s1: "an embedded engine runs the sessions of one app"
        case .s4: "an embedded engine has a single process"
        case .t10: "no user reaches an embedded engine"
        default: nil
        }
    }

    /// Stops the engine and removes its folder.
    public func close() async {
        await stop()
        try? FileManager.default.removeItem(atPath: root)
    }
}

/// A launcher that records the sessions for which the program would have been called.
private final class CountingLauncher: ProgramLauncher {
    private let content = Mutex<[String]>([])

    var sessions: [String] { content.withLock { $0 } }

    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome {
        content.withLock { $0.append(session) }
        return .started(process: nil)
    }
}
