// SPDX-License-Identifier: Apache-2.0
import CommandRunner
import Foundation
import LinuxClock
import LinuxConditions
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

/// The execution of `transferctl run`, or of a gate: an engine whose only transfer is the command, or the unit's run.
struct CommandRun {
    /// An event that ends the run.
    private enum End: Sendable {
        case result(CommandResult)
        /// A signal arrived while no process of the command existed.
        case interrupted(Int32)
    }

    let plan: RunPlan
    let alarm: LinuxAlarm
    let messages: RunMessages
    /// The address of the daemon's bus, or `nil` for the session bus.
    let bus: String?
    /// The message if a signal ends the wait.
    let interruption: String
    /// A Boolean value that indicates whether SIGUSR1 starts the command without regard to conditions.
    var startsOnSignal = false
    /// Creates what runs.
    let makeTarget: @Sendable () -> sending any CommandTarget

    /// Runs the command, and returns the exit status.
    ///
    /// - Throws: `UsageError` before the command has started.
    func run() async throws -> Int32 {
        try AdapterFactory.checkOverrides()
        let (ends, ending) = AsyncStream.makeStream(of: End.self)
        let state = CommandState(name: plan.name, deadline: plan.traits.constraints.deadline?.date)
        let executor = CommandExecutor(
            makeTarget(), onLoss: plan.onLoss, killDelay: plan.killDelay,
            handlers: CommandHandlers(
                changed: { [messages] word in
                    if let text = state.change(to: word) { messages.show(text) }
                }, warned: { [messages] in messages.showError($0) }, ended: { ending.yield(.result($0)) }))
        let required = try OwnConditions.required(by: plan.policy.conditions.custom)
        let conditions = CommandConditions(
            base: AdapterFactory.conditions(sysfsRoot: plan.sysfsRoot, alarm: alarm, delaysSleep: false) {
                $0.customConditions = required
            },
            assumptions: plan.assumptions, now: { [alarm] in alarm.now() },
            onShutDown: { executor.prepareForShutDown() })
        let engine = TransferEngine(
            store: EphemeralStore(statistics: await Self.statistics()), executor: executor,
            conditions: conditions.source,
            alarm: alarm, configuration: plan.scheduling, policy: plan.policy, savesStatistics: false,
            registry: TransferRegistry())
        let service = EngineService(
            engine, localTime: LocalTimeRules(current: alarm.now().wall), explanationLimit: 1)
        let registration = CommandRegistration(
            state: state, conditions: conditions, messages: messages, address: bus)
        let (starts, starting) = AsyncStream.makeStream(of: CommandStart.self)
        try SignalWatch.start { [startsOnSignal] signal in
            if signal.number == SIGCONT { registration.refresh() }
            if startsOnSignal, signal.number == SIGUSR1 {
                starting.yield(CommandStart(isUnconditional: true))
                return
            }
            executor.receive(signal) { ending.yield(.interrupted(signal.number)) }
        }
        let end = try await runEngine(engine, service, state, registration, starts, until: ends)
        return exitStatus(of: end)
    }

    /// Returns the statistics of earlier runs of `get`, from which policies predict; `nil` if there are none.
    private static func statistics() async -> PersistedStatistics? {
        guard let path = try? StateFolder.path(option: nil) + "/get/queue.sqlite",
            FileManager.default.fileExists(atPath: path),
            let store = try? SQLiteStore(SQLiteStoreConfiguration(path: path, scope: .keys([])))
        else { return nil }
        let statistics = try? await store.statistics()
        await store.close()
        return statistics
    }

    private func runEngine(
        _ engine: TransferEngine, _ service: EngineService, _ state: CommandState, _ registration: CommandRegistration,
        _ starts: AsyncStream<CommandStart>, until ends: AsyncStream<End>
    ) async throws -> End {
        let updates = service.updates()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask { await follow(updates, state) }
            let id = try await service.submit([TransferRequest(plan.specification)])[0]
            let starting = Task {
                for await request in starts { await start(id, request, engine, service) }
            }
            defer { starting.cancel() }
            let registering = Task {
                await registration.run { request in
                    await start(id, request, engine, service)
                }
            }
            var end = End.interrupted(SIGTERM)
            for await next in ends {
                end = next
                break
            }
            registering.cancel()
            engine.shutDown()
            try await group.waitForAll()
            await registration.close()
            return end
        }
    }

    /// Prints why the command waits, and keeps the reasons for the daemon.
    private func follow(_ updates: AsyncStream<ServiceUpdate>, _ state: CommandState) async {
        for await update in updates {
            guard case .changed(_, let event?) = update else { continue }
            switch event.kind {
            case .waiting(let explanation), .stopped(let explanation), .retrying(let explanation):
                if let text = state.wait(for: explanation) { messages.show(text) }
            case .started:
                if state.start() { messages.showDetail("started") }
            case .deadline, .progressed, .restarted, .ended: break
            }
        }
    }

    /// Starts the command without the policy, on request of the daemon's user.
    private func start(
        _ id: TransferID, _ request: CommandStart, _ engine: TransferEngine, _ service: EngineService
    ) async {
        if request.isUnconditional {
            var change = ChangeRequest()
            change.kind = .userInitiated
            change.constraints.removed = [.notBefore, .windows]
            try? await service.change(id, change)
        } else {
            await engine.setPolicy(CommandPolicy(conditions: plan.policy.conditions))
        }
    }

    private func exitStatus(of end: End) -> Int32 {
        switch end {
        case .interrupted(let number):
            messages.show(interruption)
            return 128 + number
        case .result(let result):
            switch result {
            case .ended: break
            case .stopped: messages.show("ended, because the conditions were lost; try again later")
            case .notExecutable(let code):
                messages.showError("cannot run '\(plan.command[0])': \(String(cString: strerror(code)))")
            }
            return result.exitStatus
        }
    }
}
