// SPDX-License-Identifier: Apache-2.0
package import BackgroundTransfer
internal import Dispatch
internal import Foundation
internal import Glibc
internal import LinuxClock
internal import Synchronization
package import TransferModel
internal import TransferSessions

/// A channel from this process's sessions to an engine in the same process.
package final class EmbeddedChannel: SessionChannel {
    /// The maximum time that the opening of a session waits for the engine to run.
    private static let engineStartTimeout = DispatchTimeInterval.seconds(30)

    private enum Step: Sendable {
        case order(TaskOrder, String, OpenFile?)
        case acknowledge(EventNumber, String)
        case close(String)
        case inFront(Bool)
        /// Resumes the continuation after all steps before this one are done.
        case mark(CheckedContinuation<Void, Never>)
    }

    private let host: SessionHost
    private let app: String
    /// A name that distinguishes the channel from other channels to the same engine.
    private let name: String
    private let latch: EngineLatch
    private let explainer: TaskExplainer
    private let streams = Mutex<[String: AsyncStream<SessionEvent>.Continuation]>([:])
    private let steps: AsyncStream<Step>
    private let continuation: AsyncStream<Step>.Continuation
    private let queue = QueueExecutor(label: "org.transferd.embedded.open")

    init(host: SessionHost, app: String, name: String = "embedded", latch: EngineLatch) {
        self.host = host
        self.app = app
        self.name = name
        self.latch = latch
        explainer = TaskExplainer(host: host) { LocalTimeRules(systemZoneIn: "/etc/localtime") }
        (steps, continuation) = AsyncStream.makeStream()
        // The task ends when `end` finishes the stream of steps.
        Task { await carryOut() }
    }

    private func key(_ session: String) -> SessionKey { SessionKey(app: app, identifier: session) }

    // MARK: The engine's side

    /// Carries out the posted steps, one after the other, until ``end()``.
    private func carryOut() async {
        for await step in steps {
            switch step {
            case .order(let order, let session, let file):
                await retry(reporting: order, in: session) {
                    try await self.host.post(
                        order, in: self.key(session), from: self.name, file: file.map { .descriptor($0.number) })
                }
                // The descriptor must stay open until here.
                withExtendedLifetime(file) {}
            case .acknowledge(let number, let session):
                await retry { try await self.host.acknowledge(number, in: self.key(session), from: self.name) }
            case .close(let session): await host.close(key(session), by: name)
            case .inFront(let isInFront): await host.setInFront(isInFront, app: app)
            case .mark(let continuation): continuation.resume()
            }
        }
    }

    /// Repeats an operation until its result can be saved. If the service refuses a new task or the replacement of a
    /// request, the task completes with an error.
    private func retry(
        reporting order: TaskOrder? = nil, in session: String = "", _ body: () async throws -> Void
    ) async {
        var pause = Duration.seconds(1)
        while true {
            do {
                return try await body()
            } catch let refusal as SessionRefusal where refusal.code == .unavailable {
                do { try await Task.sleep(for: pause) } catch { return }
                pause = min(pause * 2, .seconds(60))
            } catch {
                guard let (event, followUp) = order?.refusal("\(error)") else { return }
                streams.withLock { _ = $0[session]?.yield(event) }
                if let followUp { continuation.yield(.order(followUp, session, nil)) }
                return
            }
        }
    }

    /// Returns after all steps posted before the call have been carried out.
    func waitForPostedSteps() async {
        await withCheckedContinuation { waiter in
            // After the end of the channel, no step is carried out.
            if case .terminated = continuation.yield(.mark(waiter)) { waiter.resume() }
        }
    }

    /// Finishes the event streams of all sessions, because the engine or (in a test) the process has ended.
    func end() {
        continuation.finish()
        let open = streams.withLock { streams in
            defer { streams = [:] }
            return streams
        }
        for stream in open.values { stream.finish() }
    }

    /// Disconnects as if the process had died.
    package func leave() async {
        await waitForPostedSteps()
        end()
        await host.disconnected(name)
    }

    // MARK: The sessions' side

    package func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession {
        let identifier = configuration.identifier
        guard latch.wait(Self.engineStartTimeout) else {
            throw SessionError(
                code: .unavailable,
                message: "The embedded engine is not running. Call its run() before the first session is created.")
        }
        let (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        let isFree = streams.withLock { streams in
            guard streams[identifier] == nil else { return false }
            streams[identifier] = continuation
            return true
        }
        guard isFree else {
            throw SessionError(
                code: .inUse,
                message: "The background session '\(identifier)' is in use by this process; invalidate it first.",
                owner: getpid())
        }
        let client = SessionClient(name: name, process: getpid(), app: app) { [weak self] key, event in
            self?.streams.withLock { _ = $0[key.identifier]?.yield(event) }
        }
        let result = wait { [host] in
            try await host.open(configuration.settings, by: client, registration: .command([]))
        }
        switch result {
        case .success(let state):
            return OpenedSession(
                nextTask: state.nextTask, tasks: state.tasks, events: events, namedFilesFolder: state.namedFilesFolder)
        case .failure(let error):
            streams.withLock { $0[identifier] = nil }
            throw (error as? SessionRefusal).map(SessionError.init)
                ?? SessionError(code: .unavailable, message: "\(error)")
        }
    }

    /// Runs an operation on a separate thread and waits for the result. The calling thread may be one of the few
    /// threads of the cooperative pool.
    private func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Result<Value, any Error>
    {
        let pendingResult = BlockingResult<Result<Value, any Error>>()
        Task(executorPreference: queue) {
            do { pendingResult.fulfill(.success(try await body())) } catch { pendingResult.fulfill(.failure(error)) }
        }
        return pendingResult.wait()
    }

    package func post(_ order: TaskOrder, in session: String) {
        // The file is opened before this method returns, because the program may delete the file then.
        var file: OpenFile?
        if case .submit(let snapshot) = order, case .upload(let path) = snapshot.kind { file = OpenFile(path) }
        continuation.yield(.order(order, session, file))
    }

    package func tasks(of session: String) async throws(SessionError) -> [TaskSnapshot] {
        await waitForPostedSteps()
        return await host.read { $0.tasks(of: self.key(session)) }
    }

    package func explanation(ofTask task: Int, in session: String) async throws(SessionError) -> WaitExplanation? {
        await waitForPostedSteps()
        return await explainer.explanation(ofTask: task, in: key(session))
    }

    package func acknowledge(_ number: EventNumber, in session: String) {
        continuation.yield(.acknowledge(number, session))
    }

    package func setInFront(_ isInFront: Bool) { continuation.yield(.inFront(isInFront)) }

    package func close(_ session: String) {
        streams.withLock { $0.removeValue(forKey: session) }?.finish()
        continuation.yield(.close(session))
    }
}

/// An executor that runs tasks on a dispatch queue.
private final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A launcher that calls the event handler of its own program.
struct InProcessLauncher: ProgramLauncher {
    func launch(_ registration: AppRegistration, of app: String, for session: String) async -> LaunchOutcome {
        BackgroundApplication.shared.handleEvents(of: session)
        return .started(process: getpid())
    }
}
