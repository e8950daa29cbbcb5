// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import TransferPolicy

/// A fixture of real daemons with a probe. The fixture sets the plug and the price, so it knows the truth.
actor DyingDaemonsFixture {
    /// The reason that the fixture cannot run here, or `nil` if it can.
    static let unavailabilityReason =
        PowerFixture.unavailabilityReason ?? NetworkFixture.unavailabilityReason ?? LoginFixture.unavailabilityReason

    /// The daemons that can die.
    private enum Daemon: String, CaseIterable {
        case upower, networkManager, logind, bus
    }

    private enum State {
        case running, hanging, absent
    }

    /// The nanoseconds after a plug change during which readings from before the change may still arrive.
    private static let tolerance: Int64 = 2_000_000_000
    /// A limit beyond any loaded machine's delay. A wrong reading that lasts longer is stuck.
    private static let recovery: Duration = .seconds(60)

    let bus: PrivateBus
    let power: PowerFixture
    private let network: NetworkFixture
    private var login: LoginFixture
    let probe: ConditionsProbe
    /// The probe's recording of all observations.
    let recording = FileManager.default.temporaryDirectory.appending(path: "dying-\(UUID().uuidString.prefix(8)).jsonl")
    /// The process id of the newest upowerd.
    private(set) var upowerd: Int32
    private var generator: SplitMix64
    private var states = [Daemon: State](uniqueKeysWithValues: Daemon.allCases.map { ($0, .running) })
    private var isOnline = true
    /// The number of plug changes since upowerd last hung, which it has not read while it hangs.
    private var unreadChanges = 0
    /// The time of the last plug change, in nanoseconds on the boot-time clock.
    private var turned: Int64 = 0
    /// A Boolean value that indicates whether the probe has reported "not on AC" since the last plug change.
    private var isKnown = false
    private var meteredState = "unknown"
    /// The number of the probe's lines that have been judged.
    private var judged = 0
    private var counts: [String: Int] = [:]
    /// The actions so far, each with the seconds since the start.
    private(set) var log: [String] = []
    private let start = ContinuousClock.now
    /// The start in nanoseconds on the boot-time clock, which the recording uses.
    let bootStart = LineBuffer.now()

    init(seed: UInt64) async throws {
        generator = SplitMix64(seed: seed)
        bus = try await PrivateBus()
        power = try await PowerFixture(bus: bus)
        network = try await NetworkFixture(bus: bus)
        login = try LoginFixture(bus: bus)
        upowerd = try await power.spawn()
        try await login.spawn()
        try await network.startManager()
        try await network.connect()
        // Only the probe hears the fake kernel: `ip` would search the fake sysfs for its own files.
        let kernel = power.kernelEnvironment.map { "\($0.key)=\($0.value)" }
        probe = try ConditionsProbe(
            ["--ready", "promptly", "--record", recording.path], prefix: network.inside(["env"] + kernel),
            environment: bus.environment)
    }

    /// The number of occurrences of each action.
    var tally: String {
        let seconds = (ContinuousClock.now - start).components.seconds
        return "\(seconds) s: "
            + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Disturbs the daemons for a time. After each round, restores all of them and checks the published facts.
    func run(for duration: Duration) async throws {
        try await checkRecovery()
        let before = try resources()
        let end = ContinuousClock.now + duration
        repeat {
            for _ in 0..<Int.random(in: 6...12, using: &generator) {
                try await disturb()
                try judge()
            }
            try await stayOnBattery()
            try await bringBack()
            try await checkRecovery()
        } while ContinuousClock.now < end
        let after = try resources()
        record("threads, files, and KiB before: \(before), after: \(after)")
        // Calls to hanging daemons end in time, so nothing grows with the number of deaths.
        guard after.threads <= before.threads + 4, after.files <= before.files + 8, after.memory < before.memory * 2
        else { throw FixtureError("the probe's resources grew from \(before) to \(after)") }
        print("DyingDaemonsTests: threads, files, and KiB before: \(before), after: \(after)")
    }

    func end() async {
        for daemon in [Daemon.bus, .logind, .networkManager, .upower] where states[daemon] == .hanging {
            try? await resume(daemon)
        }
        await probe.end()
        await login.end()
        await network.end()
        await power.end()
        await bus.end()
        try? FileManager.default.removeItem(at: recording)
    }

    // MARK: Disturbances

    private func disturb() async throws {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: try await turnPlug()
        case 4 where states[.networkManager] == .running && states[.bus] == .running: try await setMeter()
        default: try await strike(Daemon.allCases.randomElement(using: &generator) ?? .upower)
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...600, using: &generator)))
    }

    private func turnPlug() async throws {
        // umockdev ends after ten unread events, and each change has two. A real kernel would drop them.
        unreadChanges += 1
        if states[.upower] == .hanging, unreadChanges > 4 { try await resume(.upower) }
        // The lines so far are judged by the state of the plug before the change.
        try judge()
        isOnline.toggle()
        record("plug \(isOnline ? "in" : "out")")
        turned = try await power.setAC(isOnline)
        isKnown = false
    }

    /// Pulls the plug and leaves it out while more daemons die and come back, whichever are dead already.
    private func stayOnBattery() async throws {
        if isOnline { try await turnPlug() }
        record("stays out")
        try await wait("a reading other than AC") {
            isKnown || probe.lines.last.map { !$0.text.hasPrefix("power=ac/") } ?? false
        }
        isKnown = true
        for _ in 0..<4 {
            try await Task.sleep(for: .nanoseconds(Self.tolerance / 4))
            try await strike(Daemon.allCases.randomElement(using: &generator) ?? .upower)
            try judge()
        }
    }

    /// Waits for `condition`, and judges the lines that arrive in the meantime.
    private func wait(_ what: String, until condition: () -> Bool) async throws {
        let end = ContinuousClock.now + Self.recovery
        repeat {
            try judge()
            if condition() { return }
            try await probe.process.output.waitForMore(than: judged, until: end)
        } while ContinuousClock.now < end
        throw FixtureError("stuck: expected \(what), published \(probe.lines.last?.text ?? "nothing")")
    }

    private func setMeter() async throws {
        meteredState = meteredState == "yes" ? "no" : "yes"
        record("metered \(meteredState)")
        try await network.setMetered(meteredState)
    }

    private func strike(_ daemon: Daemon) async throws {
        // Without a working bus, no other daemon can start.
        guard daemon == .bus || states[.bus] == .running else { return }
        switch states[daemon] {
        case .running where Bool.random(using: &generator): try await kill(daemon)
        case .running: try await hang(daemon)
        case .hanging where Bool.random(using: &generator): try await kill(daemon)
        case .hanging: try await resume(daemon)
        case .absent, nil: try await begin(daemon)
        }
    }

    private func kill(_ daemon: Daemon) async throws {
        record("\(daemon) killed")
        states[daemon] = .absent
        switch daemon {
        case .upower: try await power.kill()
        case .networkManager: await network.killManager()
        case .logind: try await login.kill()
        case .bus:
            await bus.kill()
            // A daemon without its bus is useless. A real machine restarts such daemons as well.
            for other in [Daemon.upower, .networkManager, .logind] where states[other] != .absent {
                try await kill(other)
            }
            await login.end()
        }
    }

    private func hang(_ daemon: Daemon) async throws {
        record("\(daemon) hangs")
        states[daemon] = .hanging
        if daemon == .upower { unreadChanges = 0 }
        switch daemon {
        case .upower: try await power.hang()
        case .networkManager: await network.setManagerHanging(true)
        case .logind: try await login.hang()
        case .bus: await bus.setHanging(true)
        }
    }

    private func resume(_ daemon: Daemon) async throws {
        record("\(daemon) resumes")
        states[daemon] = .running
        switch daemon {
        case .upower: try await power.resume()
        case .networkManager: await network.setManagerHanging(false)
        case .logind: try await login.resume()
        case .bus: await bus.setHanging(false)
        }
    }

    private func begin(_ daemon: Daemon) async throws {
        record("\(daemon) starts")
        switch daemon {
        case .upower: upowerd = try await power.spawn()
        case .networkManager:
            try await network.startManager()
            // The profiles were lost with the mount namespace of NetworkManager.
            try await network.connect()
            meteredState = "unknown"
        case .logind: try await login.spawn()
        case .bus:
            try await bus.start()
            login = try LoginFixture(bus: bus)
        }
        states[daemon] = .running
    }

    private func bringBack() async throws {
        for daemon in [Daemon.bus, .upower, .networkManager, .logind].shuffledAfterFirst(using: &generator) {
            switch states[daemon] {
            case .hanging: try await resume(daemon)
            case .absent: try await begin(daemon)
            case .running, nil: break
            }
        }
    }

    // MARK: Verification

    /// Changes plug and price with all daemons running, and waits until the published facts are right.
    private func checkRecovery() async throws {
        try await turnPlug()
        try await setMeter()
        record("all running")
        let began = ContinuousClock.now
        let expected = [
            "power=\(isOnline ? "ac" : "battery")/upower/reported", "metered=\(meteredState)/networkManager/reported",
            "connection=wired/networkManager", "network=full", "kind=ethernet", "interface=cable",
            "sleep=awake/logind/reported", "disagreements=0",
        ]
        try await wait("\(expected)") {
            probe.lines.last.map { ConditionsProbe.line($0.text, containsAll: expected) } ?? false
        }
        let time = (ContinuousClock.now - began).components
        record("right after \(time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000) ms")
    }

    /// Fails after a crash, an unannounced sleep, or a reading of "AC" that follows a reading of battery power.
    private func judge() throws {
        guard probe.process.isRunning else {
            throw FixtureError("the probe exited; its last line: \(probe.lines.last?.text ?? "none")")
        }
        let lines = probe.lines
        for line in lines[judged...] where line.time > turned {
            guard line.text.contains(" sleep=awake/") else { throw FixtureError("unannounced sleep: \(line.text)") }
            let isAC = line.text.hasPrefix("power=ac/")
            guard isOnline || !isAC || !isKnown || line.time < turned + Self.tolerance else {
                throw FixtureError("\((line.time - turned) / 1_000_000) ms after the plug was pulled: \(line.text)")
            }
            isKnown = isKnown || !isAC
        }
        judged = lines.count
    }

    private func record(_ words: String) {
        let time = (ContinuousClock.now - start).components
        log.append("\(time.seconds).\(String(format: "%03d", time.attoseconds / 1_000_000_000_000_000)) \(words)")
        if !words.hasPrefix("right after"), !words.hasPrefix("threads") { counts[words, default: 0] += 1 }
    }
}

extension Array {
    /// Returns the elements in random order, except for the first element, which stays in place.
    fileprivate func shuffledAfterFirst(using generator: inout some RandomNumberGenerator) -> [Element] {
        Array(prefix(1)) + dropFirst().shuffled(using: &generator)
    }
}
