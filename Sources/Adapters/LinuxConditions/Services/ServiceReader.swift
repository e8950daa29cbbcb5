// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Reads the state of a bus service, and follows the service through starts, hangs, and exits.
///
/// Signals are hints. A hint triggers one read of everything that matters, and hints during that read trigger one
/// more. A proxy that reads the properties after the service acquires its name, but before it exports its object, would
/// never see them.
///
/// A read has no time limit on the bus. If a read takes too long, the service counts as silent until the reply
/// arrives.
final class ServiceReader<Value: Hashable & Sendable> {
    /// A signal that reports a possible change.
    struct Hint {
        var interface: String
        var member: String
        /// The path of the sending object; `nil` for every object of the service.
        var path: String?
        var firstArgument: String?
        var isFirstArgumentPath = false
    }

    /// Reads the service. Passes `nil` to `done` if the service is about to be ready and will send a signal.
    typealias Read = (
        _ bus: BusConnection, _ cancellation: Cancellation, _ done: @escaping (Availability<Value>?) -> Void
    ) -> Void

    private let executor: GLibExecutor
    private let name: String
    private let startsService: Bool
    private let timeLimit: UInt32
    private let hints: [Hint]
    private let read: Read
    private let deliver: (Availability<Value>) -> Void

    private var bus: BusConnection?
    private var registrations: [BusRegistration] = []
    private var isPresent = false
    private var reading: Cancellation?
    private var isHintWaiting = false
    private var limit: GLibSource?

    /// - Parameter startsService: Whether the bus starts the service if it is not running.
    init(
        on executor: GLibExecutor, name: String, startsService: Bool = false, timeLimit: Duration, hints: [Hint],
        read: @escaping Read, deliver: @escaping (Availability<Value>) -> Void
    ) {
        self.executor = executor
        self.name = name
        self.startsService = startsService
        self.timeLimit = timeLimit.timerMilliseconds
        self.hints = hints
        self.read = read
        self.deliver = deliver
    }

    /// Starts reading the service on a bus.
    func attach(to bus: BusConnection) {
        self.bus = bus
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        registrations = hints.map { hint in
            bus.subscribe(
                sender: name, interface: hint.interface, member: hint.member, path: hint.path,
                firstArgument: hint.firstArgument, isFirstArgumentPath: hint.isFirstArgumentPath
            ) { self.refresh() }
        }
        registrations.append(
            bus.watchName(name, startsService: startsService) { owner in
                self.reset()
                guard owner != nil else { return self.deliver(.absent) }
                self.isPresent = true
                self.refresh()
            })
    }

    /// Stops reading and releases the bus.
    func detach() {
        registrations = []
        reset()
        bus = nil
    }

    /// Reads again, because something may have changed or the service may have stopped replying.
    func refresh() {
        guard isPresent, let bus else { return }
        guard reading == nil else {
            isHintWaiting = true
            return
        }
        let cancellation = Cancellation()
        reading = cancellation
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        read(bus, cancellation) { [weak self, weak cancellation] availability in
            guard let self, let cancellation, reading === cancellation else { return }
            finish(availability)
        }
    }

    private func finish(_ availability: Availability<Value>?) {
        reading = nil
        if let availability {
            limit = nil
            deliver(availability)
        }
        guard isHintWaiting else { return }
        isHintWaiting = false
        refresh()
    }

    private func reset() {
        isPresent = false
        reading?.cancel()
        reading = nil
        isHintWaiting = false
        limit = nil
    }
}
