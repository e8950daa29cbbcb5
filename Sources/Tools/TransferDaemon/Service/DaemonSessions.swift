// SPDX-License-Identifier: Apache-2.0
import Logging
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferModel
import TransferSessions

/// The background sessions of apps, offered to callers on the bus.
struct DaemonSessions: SessionService {
    let host: SessionHost
    let intake: TransferIntake
    let explainer: TaskExplainer
    let logger: Logger

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

    func post(_ order: TaskOrder, file: Int32?, in key: SessionKey, from caller: BusCaller) async throws {
        if case .submit(let snapshot) = order {
            try caller.checkHost(of: snapshot.request.url)
            try await intake.checkRoom(for: snapshot, in: key)
        }
        try await host.post(order, in: key, from: caller.name, file: file.map(SourceFile.descriptor))
    }

    func openFile(ofEvent number: EventNumber, in key: SessionKey) async throws -> Int32 {
        guard let path = await host.read({ $0.file(ofEvent: number, in: key) }) else {
            throw BusFault(
                .invalidArgument, "event \(number) of the session has no file, or was already acknowledged")
        }
        return try FinishedFile.open(path)
    }

    func hasOpen(_ key: SessionKey, _ client: String) async -> Bool {
        await host.read { $0.user(of: key)?.name == client }
    }

    func tasks(of key: SessionKey) async -> [TaskSnapshot] { await host.read { $0.tasks(of: key) } }

    func body(ofTask number: Int, in key: SessionKey) async -> [UInt8] {
        await host.read { machine in machine.task(number, in: key)?.snapshot.request.body ?? [] }
    }

    func explanation(ofTask number: Int, in key: SessionKey) async -> WaitExplanation? {
        await explainer.explanation(ofTask: number, in: key)
    }

    func resendEvents(_ client: String, in key: SessionKey) async { await host.resendEvents(client, in: key) }

    func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws {
        try await host.acknowledge(number, in: key, from: client)
    }

    func close(_ key: SessionKey, by client: String) async { await host.close(key, by: client) }

    func disconnected(_ client: String) async { await host.disconnected(client) }

    func setInFront(_ isInFront: Bool, app: String) async { await host.setInFront(isInFront, app: app) }

    func updateWindows(_ windows: [String: WindowFocus]) async { await host.updateWindows(windows) }
}
