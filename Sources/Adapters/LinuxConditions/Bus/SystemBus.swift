// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Keeps a connection to the system bus, or to another one, through the bus's absence and its restarts, without polling.
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
    private var fileWatch: SocketFileWatch?
    private var timer: GLibSource?
    private var attempts = 0

    /// `address` is asked at the start; `onLoss` tells that there is no bus: at the end of a connection, and when the first attempt fails.
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

    /// Connects, now or as soon as there is a bus.
    func start() {
        address = findAddress()
        guard let path = address.flatMap(BusAddress.socketPath) else { return connect() }
        fileWatch = SocketFileWatch(path: path, on: executor) { self.connectAnew() }
        connect()
    }

    /// Ends the connection and all attempts.
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

    /// Something happened beside the socket.
    ///
    /// Its file appears before anybody listens: a few attempts, then quiet.
    private func connectAnew() {
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
            // It may have been restarted already.
            connectAnew()
        }
        onOpen(connection)
    }
}
