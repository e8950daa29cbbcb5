// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Synchronization
import TransferBusClient
import TransferBusProtocol
import TransferModel

/// The registration of a command with a daemon, if one runs. Starts no daemon, and the command runs without one.
final class CommandRegistration: Sendable {
    private let state: CommandState
    private let conditions: CommandConditions
    private let messages: RunMessages
    private let address: String?
    private let client = BusClient()
    private let commands: CommandClient
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let isKnown = Mutex(false)

    /// Creates a registration that does nothing before ``run(starting:)``.
    init(state: CommandState, conditions: CommandConditions, messages: RunMessages, address: String?) {
        (self.state, self.conditions, self.messages) = (state, conditions, messages)
        commands = CommandClient(client)
        self.address = address ?? BusConnection.sessionBusAddress()
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Registers the command whenever a daemon appears, and keeps its status up to date until the task is canceled.
    ///
    /// - Parameter start: Called if the user requests the start of the command.
    func run(starting start: @escaping @Sendable (CommandStart) async -> Void) async {
        guard let address, (try? await client.connect(address: address)) != nil,
            let news = try? await commands.news()
        else { return messages.showDetail("there is no session bus, so 'transferctl list' does not show the command") }
        state.onChange { [changed] _ in changed.yield() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in for await _ in changes { await register() } }
            group.addTask { [self] in
                for await next in news {
                    switch next {
                    case .daemonStarted: await appear()
                    case .daemonEnded:
                        let wasKnown = isKnown.withLock { known in
                            defer { known = false }
                            return known
                        }
                        conditions.set(nil)
                        messages.showDetail(
                            wasKnown
                                ? "the daemon ended" : "no daemon runs, so 'transferctl list' does not show the command"
                        )
                    case .held(let hold): set(hold)
                    case .start(let request): await start(request)
                    }
                }
            }
        }
    }

    /// Asks for the state of the daemon again, because signals may have been missed while this program was stopped.
    func refresh() { if isKnown.withLock(\.self) { Task { await readHold() } } }

    /// Closes the connection, which removes the command from the daemon.
    func close() async { await client.close() }

    private func appear() async {
        do {
            let id = try await commands.register(state.status)
            isKnown.withLock { $0 = true }
            // A change during the registration was not reported.
            changed.yield()
            messages.showDetail("known to the daemon as c\(id)")
            await readHold()
        } catch {
            messages.showDetail("not registered with the daemon: \(error)")
        }
    }

    private func register() async {
        guard isKnown.withLock(\.self) else { return }
        _ = try? await commands.register(state.status)
    }

    private func readHold() async {
        guard let status = try? await client.status(startsService: false) else { return }
        set(status.held ?? HoldStatus())
    }

    private func set(_ hold: HoldStatus) {
        guard let reason = hold.reason else { return conditions.set(nil) }
        let since = hold.since ?? WallTime(nanosecondsSinceEpoch: 0)
        conditions.set(MachineHold(by: MachineHold.user, why: reason, until: hold.until), since: since)
    }
}
