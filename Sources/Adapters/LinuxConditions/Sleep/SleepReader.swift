// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferModel
import TransferPolicy

/// Receives the login manager's announcements of sleep and shutdown, and delays both until transfers are stopped and
/// saved.
///
/// A delay lock is held all the time, because a lock requested after the announcement comes too late. The lock is
/// released by `allow`, or when its time is up, which is less than the 5 s after which logind proceeds anyway. A new
/// lock is taken at each wake-up, and each time the login manager starts. A process that may not take a lock still
/// receives the announcements. On request, a second lock prevents sleep.
final class SleepReader {
    private let executor: GLibExecutor
    private let timeLimit: UInt32
    /// The maximum delay of sleep in milliseconds; `nil` for no delay.
    private let delay: UInt32?
    private let deliver: (Availability<SleepReading>) -> Void

    private var bus: BusConnection?
    private var registrations: [BusRegistration] = []
    private var isPresent = false
    private var reading = SleepReading()
    private var firstReading: Cancellation?
    private var limit: GLibSource?
    private let delayLock = InhibitorLock(
        what: "sleep:shutdown", why: "Running transfers are being stopped and saved", mode: "delay")
    private var lockLimit: GLibSource?
    /// The lock that prevents sleep. Not of `idle`, because the display may turn off; and a closed lid is not subject to it
    /// unless the administrator says so in logind.conf.
    private let blockLock = InhibitorLock(what: "sleep", why: "Transfers are running on AC power", mode: "block")
    /// Reports whether sleep is prevented. `nil` if nobody requests that.
    private var onPrevention: ((Bool) -> Void)?

    init(
        on executor: GLibExecutor, timeLimit: Duration, delay: Duration?,
        deliver: @escaping (Availability<SleepReading>) -> Void
    ) {
        self.executor = executor
        self.timeLimit = timeLimit.timerMilliseconds
        self.delay = delay?.timerMilliseconds
        self.deliver = deliver
    }

    /// Starts following the login manager on a bus.
    func attach(to bus: BusConnection) {
        self.bus = bus
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        registrations = [
            bus.subscribe(toFlag: "PrepareForSleep", of: manager, at: objectPath, sender: service) {
                self.announced(\.isForSleep, $0)
            },
            bus.subscribe(toFlag: "PrepareForShutdown", of: manager, at: objectPath, sender: service) {
                self.announced(\.isForShutdown, $0)
            },
            bus.watchName(service, startsService: false) { owner in
                self.reset()
                guard owner != nil else { return self.deliver(.absent) }
                self.isPresent = true
                self.acquireLock()
                self.preventSleep()
                self.read()
            },
        ]
    }

    /// Releases the bus and the lock.
    func detach() {
        registrations = []
        reset()
        bus = nil
    }

    /// Lets an announced sleep or shutdown proceed.
    func allow() {
        guard reading.state != .awake else { return }
        releaseLock()
    }

    /// Prevents sleep from now on, or allows it again if `report` is `nil`. `report` is called with whether the login
    /// manager prevents sleep, whenever that changes.
    func preventSleep(_ report: ((Bool) -> Void)?) {
        onPrevention = report
        if report == nil { blockLock.release() } else { preventSleep() }
    }

    private func preventSleep() {
        guard let onPrevention, isPresent, let bus else { return }
        blockLock.acquire(on: bus, onReply: onPrevention)
    }

    private func announced(_ part: WritableKeyPath<SleepReading, Bool>, _ isComing: Bool) {
        // The announcement is newer than the reply that a pending first read would give.
        if firstReading != nil, isPresent {
            firstReading?.cancel()
            firstReading = nil
            limit = nil
        }
        reading[keyPath: part] = isComing
        if reading.state == .awake {
            lockLimit = nil
            acquireLock()
        } else if delayLock.isRequested, lockLimit == nil, let delay {
            lockLimit = executor.after(milliseconds: delay) { self.releaseLock() }
        }
        deliver(.value(reading))
    }

    /// Reads the announcements that were made before this reader subscribed.
    private func read() {
        guard let bus else { return }
        let cancellation = Cancellation()
        firstReading = cancellation
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        bus.properties(of: manager, at: objectPath, service: service, cancellation: cancellation) {
            [weak self, weak cancellation] result in
            guard let self, let cancellation, firstReading === cancellation else { return }
            firstReading = nil
            limit = nil
            reading = SleepReading(properties: (try? result.get()) ?? [:])
            // A sleep or shutdown announced before this reader took its lock does not wait for this reader.
            if reading.state != .awake { releaseLock() }
            deliver(.value(reading))
        }
    }

    private func acquireLock() {
        guard delay != nil, isPresent, let bus else { return }
        delayLock.acquire(on: bus)
    }

    private func releaseLock() {
        lockLimit = nil
        delayLock.release()
    }

    private func reset() {
        isPresent = false
        firstReading?.cancel()
        firstReading = nil
        limit = nil
        reading = SleepReading()
        releaseLock()
        blockLock.release()
        onPrevention?(false)
    }
}

/// A lock of the login manager, held as long as its descriptor is open.
private final class InhibitorLock {
    private let arguments: [String]
    private var request: Cancellation?
    private var descriptor: Int32?

    init(what: String, why: String, mode: String) { arguments = [what, "Background Transfer", why, mode] }

    deinit { release() }

    /// A Boolean value that indicates whether the lock is held, or will be soon.
    var isRequested: Bool { request != nil || descriptor != nil }

    /// Requests the lock, unless it is requested. `onReply` is called with whether the login manager grants it.
    func acquire(on bus: BusConnection, onReply: @escaping (Bool) -> Void = { _ in }) {
        guard !isRequested else { return }
        let cancellation = Cancellation()
        request = cancellation
        bus.descriptor(
            from: "Inhibit", of: manager, at: objectPath, service: service, arguments: arguments,
            cancellation: cancellation
        ) { [weak self, weak cancellation] result in
            let descriptor = try? result.get()
            guard let self, let cancellation, request === cancellation else {
                if let descriptor { close(descriptor) }
                return
            }
            (request, self.descriptor) = (nil, descriptor)
            onReply(descriptor != nil)
        }
    }

    func release() {
        request?.cancel()
        if let descriptor { close(descriptor) }
        (request, descriptor) = (nil, nil)
    }
}

private let service = "org.freedesktop.login1"
private let objectPath = "/org/freedesktop/login1"
private let manager = "org.freedesktop.login1.Manager"

/// The announcements of the login manager.
struct SleepReading: Hashable, Sendable, Codable {
    /// Whether the machine is about to sleep, or is asleep.
    var isForSleep = false
    /// Whether the machine is about to shut down or restart.
    var isForShutdown = false

    /// The resulting sleep state. Shutdown takes precedence over sleep.
    var state: SleepState { isForShutdown ? .aboutToShutDown : isForSleep ? .aboutToSleep : .awake }

    /// Decodes the properties that state the current announcements.
    init(properties: [String: VariantValue]) {
        isForSleep = properties["PreparingForSleep"] == .bool(true)
        isForShutdown = properties["PreparingForShutdown"] == .bool(true)
    }

    init() {}
}

extension Readings {
    /// The sleep state. Assumed to be awake if no login manager reports otherwise.
    var observedSleep: ConditionsMerger.ObservedValue<SleepState> {
        guard let reading = sleep.value else { return .init(value: .awake, source: .none, confidence: .assumed) }
        return .init(value: reading.state, source: .logind, confidence: .reported)
    }
}
