// SPDX-License-Identifier: Apache-2.0
import Logging
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferSessions
import TransferTesting

/// The disks, which outlive a host.
struct HostDisks: Sendable {
    let transfers = InMemoryTransferStore.Disk()
    let sessions = InMemorySessionStore.Disk()
    let sources = FakeSpool.Disk()
}

/// A host over an engine of fakes. The test plays the network, the clock, the apps, and the launcher.
final class HostFixture: Sendable {
    static let start = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    let disks: HostDisks
    let alarm: ManualAlarm
    let source: ManualConditionSource
    let executor = FakeExecutor()
    let engine: TransferEngine
    let launcher = FakeLauncher()
    let resolver = FakeResolver()
    let spool: FakeSpool
    let sleeper = Sleeper()
    let host: SessionHost

    init(
        _ disks: HostDisks = HostDisks(), now: ClockReading = HostFixture.start,
        limits: SessionLimits = SessionLimits(),
        filesPerApp: Int64 = .max
    ) {
        self.disks = disks
        spool = FakeSpool(disk: disks.sources)
        alarm = ManualAlarm(startingAt: now)
        source = ManualConditionSource(Self.goodConditions)
        let store = InMemoryTransferStore(disk: disks.transfers)
        engine = TransferEngine(store: store, executor: executor, conditions: source, alarm: alarm, seed: 1)
        host = SessionHost(
            engine: engine, store: InMemorySessionStore(disk: disks.sessions, transfers: store), resolver: resolver,
            spool: spool, launcher: launcher, alarm: alarm,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, limits: limits,
            filesPerApp: filesPerApp, sleep: { [sleeper] in try await sleeper.sleep($0) })
    }

    private static var goodConditions: Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(.ac, source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        return conditions
    }

    /// Runs the engine and the host during `body`.
    func run(_ body: @Sendable @escaping () async throws -> Void) async throws {
        try await host.load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [engine] in try await engine.run() }
            group.addTask { [engine, host] in
                for await update in engine.updates {
                    if case .transfer(let update) = update { await host.handle(update) }
                }
            }
            await host.resumeWork()
            defer { engine.shutDown() }
            do { try await body() } catch {
                engine.shutDown()
                throw error
            }
            engine.shutDown()
            sleeper.wakeAll()
            try await group.waitForAll()
        }
    }

    /// Waits until `condition` holds, and lets other tasks run in the meantime.
    func until(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Sendable () async -> Bool
    ) async {
        for _ in 0..<100_000 {
            if await condition() { return }
            await Task.yield()
        }
        Issue.record("timed out waiting for \(what)", sourceLocation: sourceLocation)
    }

    /// Returns the number of a task's transfer, once the transfer is in the store.
    func transfer(_ number: Int, _ key: SessionKey, again generation: Int = 0) async -> TransferID {
        let name = key.transferKey(of: number, again: generation)
        await until("transfer of task \(number)") {
            self.disks.transfers.transfers.contains { $0.key == name }
        }
        return disks.transfers.transfers.last { $0.key == name }?.id ?? TransferID(0)
    }

    /// Waits until the executor runs a task, and returns the number of the task's transfer.
    func running(_ number: Int, _ key: SessionKey, again generation: Int = 0) async -> TransferID {
        let id = await transfer(number, key, again: generation)
        await until("start of task \(number)") { self.executor.specification(of: id) != nil }
        return id
    }
}

/// An app that uses sessions and keeps the received events as lines.
final class FakeApp: Sendable {
    let app: String
    let client: SessionClient
    private let events = ReceivedEvents()

    init(
        _ app: String = "org.example.App", process: Int32 = 100, name: String? = nil,
        _ change: (inout SessionClient) -> Void = { _ in }
    ) {
        self.app = app
        var client = SessionClient(name: name ?? ":1.\(process)", process: process, app: app) { [events] _, event in
            events.events.withLock { $0.append(event) }
        }
        change(&client)
        self.client = client
    }

    func key(_ identifier: String = "s") -> SessionKey { SessionKey(app: app, identifier: identifier) }

    /// The received events, without progress.
    var lines: [String] { events.events.withLock { $0 }.compactMap(Self.text) }

    var numbers: [EventNumber] { events.events.withLock { $0 }.compactMap(\.number) }

    var all: [SessionEvent] { events.events.withLock { $0 } }

    static func text(_ event: SessionEvent) -> String? {
        let task = event.task.map { "\($0) " } ?? ""
        switch event.kind {
        case .received, .sent: return nil
        case .continued(let offset, _): return "\(task)continued \(offset)"
        case .responded(let response): return "\(task)responded \(response.status)"
        case .downloaded(let path): return "\(task)file \(path)"
        case .body(let bytes): return "\(task)body \(bytes.count)"
        case .completed(let failure): return "\(task)completed \(failure.map { "\($0.code)" } ?? "")"
        case .willBegin(let request): return "\(task)begin? \(request.url)"
        case .challenged(let challenge): return "\(task)login? \(challenge.scheme) \(challenge.host)"
        case .called: return "called"
        case .finishedEvents: return "finished"
        case .invalidated: return "invalidated"
        }
    }
}

private final class ReceivedEvents: Sendable {
    let events = Mutex<[SessionEvent]>([])
}

/// A launcher that starts no app. It records its calls and returns the test's outcome.
final class FakeLauncher: ProgramLauncher {
    struct Content {
        var calls: [String] = []
        var registrations: [AppRegistration] = []
        var outcome = LaunchOutcome.started(process: nil)
    }

    let content = Mutex(Content())
    var calls: [String] { content.withLock(\.calls) }
    var registrations: [AppRegistration] { content.withLock(\.registrations) }

    func setOutcome(_ outcome: LaunchOutcome) { content.withLock { $0.outcome = outcome } }

    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome {
        content.withLock { content in
            content.calls.append("\(app) \(session)")
            content.registrations.append(registration)
            return content.outcome
        }
    }
}

final class FakeResolver: RequestResolver {
    private let files = Mutex<[String]>([])

    var removed: [String] { files.withLock { $0 } }

    func specification(
        of task: TaskSnapshot, in session: SessionKey, by settings: SessionSettings, at now: WallTime
    ) throws(UnusableTask) -> TransferSpecification {
        guard task.request.url.hasPrefix("http") else { throw UnusableTask(code: -1002, message: "no address") }
        let traits = TransferTraits(kind: .normal, host: "h", submitted: now)
        var specification = TransferSpecification(
            url: task.request.url,
            destination: Destination(directory: "/tmp/\(session.app)", name: "\(task.identifier)"),
            keepsErrorBody: true, traits: traits)
        if case .upload(let path) = task.kind {
            specification = TransferSpecification(
                url: task.request.url, upload: UploadSource(path: path, size: 10, modified: 1), traits: traits)
        }
        specification.asksForCredentials = true
        return specification
    }

    func namedFilesFolder(of session: SessionKey, by settings: SessionSettings) -> String {
        "/tmp/\(session.app)/named/\(session.identifier)"
    }

    func remove(_ file: String) { files.withLock { $0.append(file) } }
}

/// A sleeper whose waits end when the test says so.
final class Sleeper: Sendable {
    struct Wait {
        var duration: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private let state = Mutex<(next: Int, waits: [Int: Wait], cancelled: Set<Int>, isFinished: Bool)>(
        (0, [:], [], false))

    var durations: [Duration] {
        state.withLock { $0.waits.sorted { $0.key < $1.key }.map(\.value.duration) }
    }

    func sleep(_ duration: Duration) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFinished = state.withLock { state in
                    if state.isFinished || state.cancelled.contains(number) { return true }
                    state.waits[number] = Wait(duration: duration, continuation: continuation)
                    return false
                }
                if isFinished { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let wait = state.withLock { state in
                state.cancelled.insert(number)
                return state.waits.removeValue(forKey: number)
            }
            wait?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Ends all waits of the given duration.
    func wake(_ duration: Duration) {
        let woken = state.withLock { state in
            let woken = state.waits.filter { $0.value.duration == duration }
            for number in woken.keys { state.waits[number] = nil }
            return woken
        }
        for wait in woken.values { wait.continuation.resume() }
    }

    func wakeAll() {
        let woken = state.withLock { state in
            state.isFinished = true
            defer { state.waits = [:] }
            return state.waits
        }
        for wait in woken.values { wait.continuation.resume(throwing: CancellationError()) }
    }
}

extension TaskSnapshot {
    static func download(_ number: Int, url: String? = nil) -> TaskSnapshot {
        TaskSnapshot(
            identifier: number, kind: .download, request: RequestDescription(url: url ?? "http://h/\(number)"))
    }
}

extension SessionSettings {
    static func named(_ identifier: String = "s", _ body: (inout Self) -> Void = { _ in }) -> SessionSettings {
        var settings = SessionSettings(identifier: identifier)
        body(&settings)
        return settings
    }
}

extension HostFixture {
    /// The registration of the app under test.
    static let command = AppRegistration.command(["/bin/app"])

    /// Submits tasks of an app, which then disconnects.
    func submit(_ numbers: ClosedRange<Int>, _ app: FakeApp) async throws {
        _ = try await host.open(.named(), by: app.client, registration: Self.command)
        for number in numbers {
            try await host.post(.submit(.download(number)), in: app.key(), from: app.client.name)
        }
        await host.disconnected(app.client.name)
    }
}
