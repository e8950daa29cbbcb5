// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import DiskFixture
import Foundation
import GLibBridge
import SQLiteStore
import ToolSupport
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy

/// A stress test that gives work to a real daemon on a private bus, kills it at random, and verifies its statements.
actor DaemonStress {
    let options: StressOptions
    let root: String
    /// The folder in which the daemon writes.
    let disk: String
    /// The folder with the files to upload.
    let sent: String
    let server: StressServer
    let client = BusClient()
    private let bus: PrivateBus
    private let daemon: String
    private let environment: [String: String]
    private let power: FaultyDiskFixture?
    var expected = ExpectedTransfers()
    var generator: SplitMix64
    var planned = 0
    private var kills = 0
    private var earlyKills = 0
    private var workerKills = 0
    var files = FileCounts()
    private var losses = 0
    private var lostChanges = 0

    init(options: StressOptions) async throws {
        self.options = options
        generator = SplitMix64(seed: options.seed)
        root = NSTemporaryDirectory() + "daemon-stress-\(getpid())"
        disk = root + "/disk"
        sent = root + "/sent"
        for folder in ["/disk/state", "/disk/config", "/disk/cache", "/disk/downloads", "/sent"] {
            try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
        }
        power = options.losesPower ? try FaultyDiskFixture(root: disk, journal: root + "/journal") : nil
        server = try StressServer(seed: options.seed)
        bus = try await PrivateBus()
        let beside = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        daemon = options.daemon ?? beside.appendingPathComponent("transferd").path
        guard FileManager.default.isExecutableFile(atPath: daemon) else {
            throw StressUsageError(text: "no daemon at \(daemon); give its path with --daemon")
        }
        // The environment hides the user's real settings, queue, power supply, and network.
        environment = [
            "XDG_STATE_HOME": disk + "/state", "XDG_CONFIG_HOME": disk + "/config", "XDG_CACHE_HOME": disk + "/cache",
        ].merging(bus.sessionEnvironment) { $1 }.merging(bus.environment) { $1 }
            .merging(power?.environment ?? [:]) { $1 }
        try await client.connect(address: bus.address)
    }

    /// Runs the test to its end.
    ///
    /// - Returns: A sentence for each fault.
    func run() async -> [String] {
        do {
            for round in 1...max(1, options.rounds) {
                guard expected.faults.isEmpty else { break }
                try await live(round)
                if round % 100 == 0 { report(round) }
            }
            if expected.faults.isEmpty { try await finish() }
        } catch {
            expected.fault("the test could not finish: \(error)")
        }
        for path in server.requestedAgain { expected.fault("\(path) was requested again after its reported end") }
        await client.close()
        await bus.end()
        server.stop()
        if options.keepsFolder || !expected.faults.isEmpty {
            expected.faults.isEmpty
                ? print("files kept in \(root)") : expected.fault("see \(root), seed \(options.seed)")
        } else {
            try? FileManager.default.removeItem(atPath: root)
        }
        return expected.faults
    }

    private func report(_ round: Int) {
        print("after \(round) rounds: \(summary)")
        fflush(nil)
    }

    // MARK: One daemon process

    private func live(_ round: Int) async throws {
        // A slower disk leaves more unsynced changes.
        power?.setDelay(microseconds: UInt32(below(3000)))
        let process = try start()
        if chance(20) {
            // The daemon dies before or while it reads its queue.
            earlyKills += 1
            try await sleep(milliseconds: below(150))
        } else {
            try await check(process)
            if round == 1 { try await submitWaiting() }
            await work(until: process)
        }
        await kill(process)
        if let power {
            let loss = PowerLoss(using: &generator)
            do {
                let (_, lost) = try power.losePower(loss, using: &generator)
                (losses, lostChanges) = (losses + 1, lostChanges + lost)
            } catch {
                throw StressTestError("cannot simulate the power loss: \(error)")
            }
        }
    }

    private func work(until process: DaemonProcess) async {
        let end = ContinuousClock.now + .milliseconds(20 + below(280))
        let killsWorker = chance(25)
        let generators = (0..<3).map { _ in SplitMix64(seed: generator.next()) }
        let length = below(200)
        await withTaskGroup(of: Void.self) { group in
            for initial in generators {
                group.addTask {
                    var generator = initial
                    while ContinuousClock.now < end, await self.step(&generator) {}
                }
            }
            if killsWorker {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(length))
                    for child in process.children { Foundation.kill(child, SIGKILL) }
                }
                workerKills += 1
            }
            group.addTask {
                try? await Task.sleep(until: end, clock: .continuous)
                // Calls are in progress at this point, so their work is half done.
                await self.kill(process)
            }
        }
    }

    private func start() throws -> DaemonProcess {
        try DaemonProcess(daemon, environment: environment, log: root + "/log")
    }

    private func kill(_ process: DaemonProcess) async {
        guard process.isRunning else { return }
        kills += 1
        if power != nil { await process.killAll() } else { await process.kill() }
    }

    // MARK: Verification

    /// Waits for the daemon and compares its complete state with its earlier statements.
    private func check(_ process: DaemonProcess) async throws {
        var filter = TransferFilter()
        filter.ended = ExpectedTransfers.maximumEnded
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            guard process.isRunning else { throw StressTestError("the daemon exited unexpectedly; see \(root)/log") }
            guard let reply = try? await client.call("List", [.dictionary(filter.fields)], type: "(a{sv})") else {
                try await sleep(milliseconds: 3)
                continue
            }
            var rows = try reply[0].items.compactMap { try $0.dictionary.map(TransferStatus.init) }
            // The daemon lists only the newest ended transfers, but the queue's database contains all of them.
            let missing = Set(expected.missing(among: rows))
            if !missing.isEmpty { rows += try await ended().filter { missing.contains($0.id) } }
            for path in expected.reconcile(all: rows) { close(path) }
            checkFiles()
            return
        }
        throw StressTestError("the daemon did not return to the bus within 120 s; see \(root)/log")
    }

    /// Returns all ended transfers from the queue's database.
    private func ended() async throws -> [TransferStatus] {
        let store = try SQLiteStore(SQLiteStoreConfiguration(path: disk + "/state/transferd/queue.sqlite"))
        let stored = try await store.ended(limit: .max)
        await store.close()
        return stored.map { transfer in
            let specification = transfer.specification
            var status = TransferStatus(
                id: transfer.id, url: specification.url, name: DisplayName(of: specification).text, app: "",
                isUpload: specification.upload != nil, kind: .normal, priority: 0, state: .failed,
                submitted: specification.traits.submitted)
            switch transfer.ending {
            case .completed(let completion, _)?:
                status.state = completion.isFailure ? .failed : .finished
                status.path = specification.upload?.path ?? completion.file?.path
            case .failed(let failure, _)?: status.error = failure.message
            case .cancelled?: status.state = .cancelled
            case nil: break
            }
            return status
        }
    }

    /// Lets all transfers end and checks for orphaned files.
    private func finish() async throws {
        let process = try start()
        try await check(process)
        for id in expected.open {
            // A pause may have been saved although the daemon never acknowledged it.
            await control(expected[id]?.waits == true ? "Cancel" : "Resume", id)
        }
        let deadline = ContinuousClock.now + .seconds(300)
        while !expected.open.isEmpty, ContinuousClock.now < deadline, expected.faults.isEmpty {
            try await sleep(milliseconds: 200)
            try await check(process)
        }
        for id in expected.open.prefix(5) { expected.fault("\(id) did not end: \(String(describing: expected[id]))") }
        await process.end()
        checkFolders()
        checkCancelledUploads()
    }

    var summary: String {
        """
        \(kills) daemons killed, \(earlyKills) of them at startup; \(workerKills) workers killed; \
        \(losses) power losses, \(lostChanges) changes lost or torn; \
        downloads: \(expected.counts(uploads: false)); \(files.downloads) files correct, \
        \(files.lateDownloads) complete despite cancellation; \
        complete deliveries: \(listed(server.downloads.deliveries)); \
        uploads: \(expected.counts(uploads: true)); \(files.uploads) correct at the server, \
        \(files.lateUploads) complete despite cancellation; \(server.uploads.continued) resumed in the middle; \
        complete bodies: \(listed(files.bodies))
        """
    }

    private func listed(_ counts: [Int: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    }

    func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &generator) }

    func chance(_ percent: Int) -> Bool { below(100) < percent }

    private func sleep(milliseconds: Int) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}

/// An error that keeps the stress test from continuing.
struct StressTestError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
