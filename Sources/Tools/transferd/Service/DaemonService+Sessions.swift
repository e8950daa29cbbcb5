// SPDX-License-Identifier: Apache-2.0
import Logging
import SQLiteStore
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferSessions

/// Background sessions of apps.
extension DaemonService {
    func open(
        _ settings: SessionSettings, by client: SessionClient, registration: AppRegistration?
    ) async throws -> SessionState {
        let state = try await host.open(settings, by: client, registration: registration)
        logger.info(
            "a session was opened",
            metadata: [
                "app": "\(client.app)", "session": "\(settings.identifier)", "process": "\(client.process)",
                "tasks": "\(state.tasks.count)",
            ])
        return state
    }

    func post(_ order: TaskOrder, file: Int32?, in key: SessionKey, from client: String) async throws {
        if case .submit(let snapshot) = order { try await checkRoom(for: snapshot, in: key) }
        try await host.post(order, in: key, from: client, file: file.map(SourceFile.descriptor))
    }

    /// Refuses a new task where its app has as many transfers, outside of sessions too, as it may have.
    private func checkRoom(for snapshot: TaskSnapshot, in key: SessionKey) async throws {
        let suspended = await host.read { $0.tasksWithoutTransfers(of: key.app) }
        let open = usage(ofGroupOf: key.app).count + suspended
        guard open >= configuration.openPerApp else { return }
        // One that is given again is here already.
        let tasks = await tasks(of: key)
        guard !tasks.contains(where: { $0.identifier == snapshot.identifier }) else { return }
        throw BusFault(
            .limitExceeded,
            "\(key.app) has \(open) open transfers and tasks, suspended ones included, and may have "
                + "\(configuration.openPerApp) (open-per-app); wait for some to end, or cancel some")
    }

    func hasOpen(_ key: SessionKey, _ client: String) async -> Bool {
        await host.read { $0.user(of: key)?.name == client }
    }

    func tasks(of key: SessionKey) async -> [TaskSnapshot] { await host.read { $0.tasks(of: key) } }

    func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws {
        try await host.acknowledge(number, in: key, from: client)
    }

    func close(_ key: SessionKey, by client: String) async { await host.close(key, by: client) }

    func disconnected(_ client: String) async { await host.disconnected(client) }

    func setInFront(_ isInFront: Bool, app: String) async { await host.setInFront(isInFront, app: app) }

    func noteWindows(_ windows: [String: WindowFocus]) async { await host.noteWindows(windows) }

    // MARK: Showing

    /// What is known of an app's background sessions.
    func background(_ status: AppStatus) -> AppSummary.Background {
        let failures = starter.failures(of: status.app)
        var background = AppSummary.Background()
        (background.isConnected, background.isInFront) = (status.isConnected, status.isInFront)
        (background.waitingEvents, background.launches) = (status.waitingEvents, status.launches)
        background.failures = status.failures
        (background.missing, background.crashed, background.silent) = (
            failures.missing, failures.crashed, failures.silent
        )
        background.registration = status.registration
        background.registeredBy = status.registeredBy.flatMap { $0.isEmpty ? nil : $0 }
        background.lastLaunch = status.lastLaunch
        switch status.lastOutcome {
        case nil: break  // It was never started.
        case .started?: background.lastOutcome = "started"
        case .missing(let why)?: (background.lastOutcome, background.lastWords) = ("missing", why)
        case .crashed(let why)?: (background.lastOutcome, background.lastWords) = ("crashed", why)
        case .silent(let why)?: (background.lastOutcome, background.lastWords) = ("silent", why)
        }
        return background
    }
}
