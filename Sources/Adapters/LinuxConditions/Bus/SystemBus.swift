// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Maintains a connection to the system bus, or to another bus, through absences and restarts of the bus, without
/// polling.
final class SystemBus {
    private enum State {
        case closed
        case connecting(Cancellation)
        case open(BusConnection)
    }

    private let executor: GLibExecutor
    private let timeLimit: UInt32
    private let findAddress: () -> String?
    private let onOpen: (BusConnection) -> Void
    private let onLoss: () -> Void

    private var state = State.closed
    private var address: String?
    private var fileWatch: FileWatch?
    private var timer: GLibSource?
    private var attempts = 0

    /// - Parameters:
    ///   - address: Returns the address of the bus. Called once, at the start.
    ///   - onOpen: Called with each new connection.
    ///   - onLoss: Called if there is no bus: at the end of a connection, after a failed attempt, and if an attempt
    ///     exceeds `timeLimit`.
    init(
        on executor: GLibExecutor, timeLimit: Duration,
        address: @escaping () -> String? = BusConnection.systemBusAddress,
        onOpen: @escaping (BusConnection) -> Void, onLoss: @escaping () -> Void
    ) {
        self.executor = executor
        findAddress = address
        self.timeLimit = timeLimit.timerMilliseconds
        self.onOpen = onOpen
        self.onLoss = onLoss
    }

    /// Connects now, or as soon as the bus appears.
    func start() {
        address = findAddress()
        guard let path = address.flatMap(BusAddress.socketPath) else { return connect() }
        fileWatch = FileWatch(path: path, on: executor) { self.reconnect() }
        connect()
    }

    /// Ends the connection and all attempts to connect.
    func stop() {
        fileWatch = nil
        timer = nil
        switch state {
        case .closed: break
        case .connecting(let cancellation): cancellation.cancel()
        case .open(let connection): connection.close()
        }
        state = .closed
    }

    /// Connects after an event in the socket's folder.
    ///
    /// The socket file appears before the bus listens, so up to six attempts follow, at growing intervals.
    private func reconnect() {
        guard case .closed = state else { return }
        attempts = 0
        connectLater()
    }

    private func connectLater() {
        guard attempts < 6 else { return }
        timer = executor.after(milliseconds: 20 << UInt32(attempts)) { self.connect() }
        attempts += 1
    }

    private func connect() {
        guard case .closed = state else { return }
        guard let address else { return onLoss() }
        let cancellation = Cancellation()
        state = .connecting(cancellation)
        timer = executor.after(milliseconds: timeLimit) { self.onLoss() }
        BusConnection.open(address: address, cancellation: cancellation) { [weak self] result in
            guard let self, case .connecting(let current) = state, current === cancellation else { return }
            timer = nil
            switch result {
            case .success(let connection): opened(connection)
            case .failure:
                state = .closed
                onLoss()
                if attempts > 0 { connectLater() }
            }
        }
    }

    private func opened(_ connection: BusConnection) {
        state = .open(connection)
        attempts = 0
        connection.onClosed { [weak self] in
            guard let self, case .open = state else { return }
            state = .closed
            onLoss()
            // The bus may have restarted already.
            reconnect()
        }
        onOpen(connection)
    }
}
