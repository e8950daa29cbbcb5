// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Follows one service of a bus through its lives.
///
/// Signals are hints; each makes one reading of all that matters, and hints that come meanwhile make one more. A proxy
/// would miss the properties for good when it asks in the moment between a service's taking its name and its exporting
/// its object. A reading has no time limit on the bus: when it takes too long the service counts as silent until the
/// answer comes after all.
final class ServiceReader<Value: Hashable & Sendable> {
    /// A signal that tells that something may have changed.
    struct Hint {
        var interface: String
        var member: String
        /// Nil for every object of the service.
        var path: String?
        var firstArgument: String?
        var isFirstArgumentPath = false
    }

    /// Reads; `done` takes nil when the service is about to be ready and will tell.
    typealias Read = (
        _ bus: BusConnection, _ cancellation: Cancellation, _ done: @escaping (Answer<Value>?) -> Void
    ) -> Void

    private let executor: GLibExecutor
    private let name: String
    private let startsService: Bool
    private let timeLimit: UInt32
    private let hints: [Hint]
    private let read: Read
    private let deliver: (Answer<Value>) -> Void

    private var bus: BusConnection?
    private var registrations: [BusRegistration] = []
    private var isPresent = false
    private var reading: Cancellation?
    private var isHintWaiting = false
    private var limit: GLibSource?

    /// `startsService` has the bus start a service that is not running.
    init(
        on executor: GLibExecutor, name: String, startsService: Bool = false, timeLimit: Duration, hints: [Hint],
        read: @escaping Read, deliver: @escaping (Answer<Value>) -> Void
    ) {
        self.executor = executor
        self.name = name
        self.startsService = startsService
        self.timeLimit = timeLimit.timerMilliseconds
        self.hints = hints
        self.read = read
        self.deliver = deliver
    }

    /// Follows the service on a bus.
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
            bus.watchName(name, startingIt: startsService) { owner in
                self.letGo()
                guard owner != nil else { return self.deliver(.absent) }
                self.isPresent = true
                self.refresh()
            })
    }

    /// Lets go of the bus.
    func detach() {
        registrations = []
        letGo()
        bus = nil
    }

    /// Reads again: something may have changed, or the service may have stopped answering.
    func refresh() {
        guard isPresent, let bus else { return }
        guard reading == nil else {
            isHintWaiting = true
            return
        }
        let cancellation = Cancellation()
        reading = cancellation
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        read(bus, cancellation) { [weak self, weak cancellation] answer in
            guard let self, let cancellation, reading === cancellation else { return }
            finish(answer)
        }
    }

    private func finish(_ answer: Answer<Value>?) {
        reading = nil
        if let answer {
            limit = nil
            deliver(answer)
        }
        guard isHintWaiting else { return }
        isHintWaiting = false
        refresh()
    }

    private func letGo() {
        isPresent = false
        reading?.cancel()
        reading = nil
        isHintWaiting = false
        limit = nil
    }
}
