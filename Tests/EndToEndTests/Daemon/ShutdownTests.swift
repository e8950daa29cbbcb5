// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import DiskFixture
import Foundation
import GLibBridge
import ProcessFixtures
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "C12: SIGTERM ends the daemon within five seconds, whatever hangs",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ShutdownTests {
    /// A daemon that runs a slow download.
    private struct RunningDaemon {
        let bus: PrivateBus
        let daemon: ChildProcess
        let folder: TemporaryFolder
        let client: BusClient

        var log: String { (try? String(contentsOfFile: folder.path + "/out", encoding: .utf8)) ?? "" }

        /// Sends SIGTERM, and returns the time until the daemon's end and its exit status.
        func end() async throws -> (seconds: Double, status: Int32) {
            let start = ContinuousClock.now
            daemon.signal(SIGTERM)
            let status = try await daemon.wait(within: 60)
            return ((ContinuousClock.now - start) / .seconds(1), status)
        }

        /// Waits until the daemon has a worker, and returns the worker's process id.
        func worker() async throws -> pid_t {
            var found: pid_t?
            try await waitUntil("a worker runs", within: 60) {
                // Until the new process executes its own program, the daemon is suspended.
                found = Self.child(of: daemon.id)
                return found.map { Self.program(of: $0) != Self.program(of: daemon.id) } ?? false
            }
            return found ?? 0
        }

        private static func program(of process: pid_t) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        }

        /// Returns a child of any of the process's threads.
        private static func child(of process: pid_t) -> pid_t? {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
            for thread in threads {
                let data = FileManager.default.contents(atPath: "/proc/\(process)/task/\(thread)/children") ?? Data()
                if let child = String(decoding: data, as: UTF8.self).split(separator: " ").first { return pid_t(child) }
            }
            return nil
        }
    }

    private func withRunningDaemon(
        disk: (String) throws -> FaultyDiskFixture? = { _ in nil },
        _ body: (RunningDaemon, FaultyDiskFixture?) async throws -> Void
    ) async throws {
        let server = try await NginxServer(rate: 1000)
        try server.serve("file", bytes: 10_000_000)
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let state = folder.path + "/state"
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        let fixture = try disk(folder.path)
        let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }
            .merging(["XDG_STATE_HOME": state, "XDG_CONFIG_HOME": folder.path, "XDG_CACHE_HOME": folder.path]) { $1 }
            .merging(fixture?.environment ?? [:]) { $1 }
        let daemon = try ChildProcess(
            DaemonFixture.daemonPath, [], environment: environment, output: folder.path + "/out")
        defer { daemon.end() }
        let client = BusClient()
        let running = RunningDaemon(bus: bus, daemon: daemon, folder: folder, client: client)
        try await waitForText("on the bus", in: folder.path + "/out")
        try await client.connect(address: bus.address)
        _ = try await client.call(
            "Submit",
            [.list([.dictionary(["url": .string(server.url("file")), "directory": .string(folder.path)])])],
            type: "(aa{sv})")
        let result: Result<Void, any Error>
        do { result = .success(try await body(running, fixture)) } catch { result = .failure(error) }
        await bus.setHanging(false)
        await client.close()
        await bus.end()
        try result.get()
    }

    private static let limit = 5 + Tolerance.seconds

    @Test("Nothing hangs")
    func plain() async throws {
        try await withRunningDaemon { running, _ in
            _ = try await running.worker()
            let end = try await running.end()
            #expect(end.status == 0)
            #expect(end.seconds < Self.limit)
            #expect(!running.log.contains("shutdown timed out"))
        }
    }

    @Test("A stopped worker does not outlive the daemon")
    func stoppedWorker() async throws {
        try await withRunningDaemon { running, _ in
            let worker = try await running.worker()
            kill(worker, SIGSTOP)
            let end = try await running.end()
            #expect(end.status == 0)
            #expect(end.seconds < Self.limit)
            try await waitForEnd(of: worker, within: 10)
        }
    }

    @Test("The bus hangs")
    func hangingBus() async throws {
        try await withRunningDaemon { running, _ in
            _ = try await running.worker()
            await running.bus.setHanging(true)
            let end = try await running.end()
            #expect(end.status == 0)
            #expect(end.seconds < Self.limit)
        }
    }

    @Test("A watching caller does not read")
    func unreadingCaller() async throws {
        try await withRunningDaemon { running, _ in
            let watch = try ChildProcess(
                Transferctl.path, ["watch", "--bus", running.bus.address], output: running.folder.path + "/watch")
            defer { watch.end() }
            _ = try await running.worker()
            watch.signal(SIGSTOP)
            let end = try await running.end()
            #expect(end.status == 0)
            #expect(end.seconds < Self.limit)
        }
    }

    @Test("The disk hangs, and the log names the cause")
    func hangingDisk() async throws {
        try await withRunningDaemon(disk: { try FaultyDiskFixture(root: $0 + "/state", journal: $0 + "/journal") }) {
            running, disk in
            _ = try await running.worker()
            // From now on, each write takes a minute.
            disk?.setDelay(microseconds: 60_000_000)
            let end = try await running.end()
            #expect(end.status == 0)
            #expect(end.seconds < Self.limit)
            #expect(running.log.contains("shutdown timed out"))
            #expect(running.log.contains("the engine"))
        }
    }
}
