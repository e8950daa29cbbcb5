// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Follows the properties of one object of a service through the service's lives.
///
/// Signals are hints; each makes one reading of all properties, and hints that come meanwhile make one more. A reading has
/// no time limit on the bus: when it takes too long the service counts as silent until the answer comes after all.
final class PropertiesWatch {
    /// Which object of which service.
    struct Subject {
        var service: String
        var path: String
        var interface: String
        /// Whether the bus is to start the service.
        var startsService = false
    }

    private let subject: Subject
    private let executor: GLibExecutor
    private let timeLimit: UInt32
    private let deliver: (Answer<[String: VariantValue]>) -> Void

    private var bus: BusConnection?
    private var registrations: [BusRegistration] = []
    private var isPresent = false
    private var reading: Cancellation?
    private var isHintWaiting = false
    private var limit: GLibSource?

    init(
        _ subject: Subject, on executor: GLibExecutor, timeLimit: Duration,
        deliver: @escaping (Answer<[String: VariantValue]>) -> Void
    ) {
        self.subject = subject
        self.executor = executor
        self.timeLimit = timeLimit.timerMilliseconds
        self.deliver = deliver
    }

    /// Follows the service on a bus.
    func attach(to bus: BusConnection) {
        self.bus = bus
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        registrations = [
            bus.subscribe(
                sender: subject.service, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                path: subject.path, firstArgument: subject.interface
            ) { self.refresh() },
            bus.watchName(subject.service, startingIt: subject.startsService) { owner in
                self.letGo()
                guard owner != nil else { return self.deliver(.absent) }
                self.isPresent = true
                self.refresh()
            },
        ]
    }

    /// Lets go of the bus.
    func detach() {
        registrations = []
        letGo()
        bus = nil
    }

    /// Reads again: something may have changed.
    func refresh() {
        guard isPresent, let bus else { return }
        guard reading == nil else {
            isHintWaiting = true
            return
        }
        let cancellation = Cancellation()
        reading = cancellation
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        bus.properties(
            of: subject.interface, at: subject.path, service: subject.service, cancellation: cancellation
        ) { [weak self, weak cancellation] result in
            guard let self, let cancellation, reading === cancellation else { return }
            finish(result)
        }
    }

    private func finish(_ result: Result<[String: VariantValue], GLibError>) {
        reading = nil
        limit = nil
        switch result {
        case .success(let properties): deliver(.value(properties))
        case .failure: deliver(.absent)  // The service has no such object, or not yet: then a change will tell.
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
