// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// The readers of the power profile and of sleep.
///
/// Used on the readers' thread only.
final class SessionReaders {
    private let configuration: LinuxConditionsConfiguration
    private let executor: GLibExecutor
    private let report: (Observation) -> Void
    private let onWake: () -> Void

    private var profile: PowerProfileReader?
    private var sleep: SleepReader?
    private var isAsleep = false

    /// - Parameter onWake: Called after sleep, when everything must be read again.
    init(
        configuration: LinuxConditionsConfiguration, executor: GLibExecutor,
        report: @escaping (Observation) -> Void, onWake: @escaping () -> Void
    ) {
        self.configuration = configuration
        self.executor = executor
        self.report = report
        self.onWake = onWake
    }

    /// Starts the readers. The system bus follows with `attach`.
    func start() {
        let limit = configuration.serviceTimeLimit
        if configuration.readers.contains(.powerProfiles) {
            let report = report
            let reader = PowerProfileReader(
                on: executor, timeLimit: limit, isSandboxed: configuration.isSandboxed
            ) { report(.powerProfile($0, $1)) }
            profile = reader
            reader.start()
        } else {
            report(.powerProfile(.current, .absent))
            report(.powerProfile(.former, .absent))
        }
        if configuration.readers.contains(.logind) {
            sleep = SleepReader(on: executor, timeLimit: limit, delay: configuration.sleepDelay) { [weak self] in
                self?.receive($0)
            }
        } else {
            report(.login(.absent))
        }
    }

    /// Stops all readers.
    func stop() {
        profile?.stop()
        sleep?.detach()
        (profile, sleep) = (nil, nil)
    }

    /// Attaches the readers to the services on the system bus.
    func attach(to bus: BusConnection) {
        profile?.attach(to: bus)
        sleep?.attach(to: bus)
    }

    /// Reports that there is no system bus.
    func handleBusLoss() {
        profile?.handleBusLoss()
        guard let sleep else { return }
        sleep.detach()
        receive(.absent)
    }

    /// Lets an announced sleep or shutdown proceed.
    func allowSleep() { sleep?.allow() }

    /// Prevents sleep, or allows it again if `report` is `nil`.
    func preventSleep(_ report: ((Bool) -> Void)?) { sleep?.preventSleep(report) }

    private func receive(_ availability: Availability<SleepReading>) {
        report(.login(availability))
        let wasAsleep = isAsleep
        isAsleep = availability.value?.isForSleep ?? false
        if wasAsleep, !isAsleep { onWake() }
    }
}
