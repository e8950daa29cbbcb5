// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferTesting
import WorkerHarness

@testable import WorkerExecutor

@Suite("WorkerExecutor", .timeLimit(.minutes(3)))
struct WorkerExecutorTests {
    @Test(
        "The executor satisfies the contract of its port", arguments: TransferExecutorContract.Check.allCases)
    func contract(_ check: TransferExecutorContract.Check) async throws {
        try await TransferExecutorContract { try ServerHarness { try WorkerHarness(root: $0).executor } }.run(check)
    }

    @Test("The worker is a separate process that exits when the executor is shut down")
    func processes() async throws {
        let file = ServedFile(bytes: ServedFile.content(100_000))
        try await WorkerHarness.run(handler: file.serve) { fixture, server in
            #expect(fixture.executor.processIDs.isEmpty, "a worker runs before the first transfer")
            let outcome = await fixture.start(fixture.job(1, server.url("/a"))).outcome()
            #expect(fixture.contents(outcome) == file.bytes)
            let numbers = fixture.executor.processIDs
            try #require(numbers.count == 1)
            #expect(numbers[0] != getpid())
            // Otherwise each block of a body would cost the page faults of new memory.
            let environment = try #require(FileManager.default.contents(atPath: "/proc/\(numbers[0])/environ"))
            #expect(String(decoding: environment, as: UTF8.self).contains("MALLOC_TRIM_THRESHOLD_="))
            await fixture.executor.shutdown()
            #expect(!WorkerHarness.exists(numbers[0]))
            #expect(
                fixture.log.lines.last?.contains("debug worker exited with status 0") == true, "\(fixture.log.lines)")
        }
    }

    @Test("All workers can be killed while the start of another worker hangs")
    func killedDuringStart() async throws {
        try await WorkerHarness.run(handler: { _, _ in }) { fixture, _ in
            fixture.executor.warmUp()
            // The start of a worker keeps this lock.
            let worker = fixture.executor.pool.withLock { _ in
                defer { fixture.executor.killWorkers() }
                return fixture.executor.processIDs.first
            }
            let number = try #require(worker)
            // Returns once the worker is gone.
            await fixture.executor.shutdown()
            #expect(!WorkerHarness.exists(number))
            #expect(fixture.log.lines.contains { $0.contains("signal 9") }, "\(fixture.log.lines)")
        }
    }

    @Test("An attempt that reads a huge file for its checksum stops at once, and so does the executor")
    func stoppedWhileReading() async throws {
        try await WorkerHarness.run(handler: { _, _ in }) { fixture, server in
            var job = fixture.job(1, server.url("/a"))
            job.specification.checksum = Checksum(
                algorithm: .sha256, hexDigest: String(repeating: "0", count: 64))
            let folder = job.specification.destination.directory
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/" + (job.specification.destination.name ?? "a")
            try #require(FileManager.default.createFile(atPath: path, contents: nil) && truncate(path, 1 << 40) == 0)
            let attempt = fixture.start(job)
            fixture.executor.stop(job.id)
            guard case .stopped = await attempt.outcome() else { return #expect(Bool(false), "the attempt went on") }
            _ = fixture.start(job)
            await fixture.executor.shutdown()
            #expect(!fixture.log.lines.contains { $0.contains("error worker") }, "\(fixture.log.lines)")
        }
    }

    @Test("A killed worker loses nothing: its transfers fail with the bytes on disk, and the next worker continues")
    func killed() async throws {
        let file = ServedFile(bytes: ServedFile.content(3_000_000))
        let isHealed = Mutex(false)
        let handler: HostileServer.Handler = { request, connection in
            guard !isHealed.withLock({ $0 }) else { return file.serve(request, connection) }
            file.serve(request, connection, stallingAt: 1_000_000)
        }
        try await WorkerHarness.run(handler: handler) { fixture, server in
            let recorder = fixture.start(fixture.job(1, server.url("/a")))
            await recorder.wait { $0.contains { ($0.progress ?? 0) >= 1_000_000 } }
            let worker = try #require(fixture.executor.processIDs.first)
            kill(worker, SIGKILL)
            let outcome = await recorder.outcome()
            #expect(outcome.failure?.cause == .executorLost)
            #expect(outcome.failure?.message.contains("signal 9") == true, "\(outcome)")
            #expect(!WorkerHarness.exists(worker))
            let resume = try #require(outcome.resume, "no resume point")
            isHealed.withLock { $0 = true }
            let second = await fixture.start(fixture.job(1, server.url("/a"), resume: resume)).outcome()
            #expect(fixture.contents(second) == file.bytes)
            let requestedOffsets = server.requests.compactMap(\.range?.first)
            #expect(requestedOffsets.contains { $0 > 900_000 }, "the download restarted: \(requestedOffsets)")
            #expect(
                fixture.log.lines.contains {
                    $0.hasPrefix("error worker was killed by signal 9") && $0.contains("transfers=")
                }, "\(fixture.log.lines)")
        }
    }

    /// Ends the process that owns a connection with this local port, as a server does that finds a fault of the worker.
    private static func endProcess(ofPort port: UInt16, among processes: [Int32]) {
        let file = FileHandle(forReadingAtPath: "/proc/net/tcp")
        let table = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
        let suffix = ":" + String(format: "%04X", Int(port))
        // The words are a number, the local address, the remote address, and as the tenth the inode.
        let inodes = table.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.count > 9 && $0[1].hasSuffix(suffix) }.map { "socket:[\($0[9])]" }
        for process in processes {
            let folder = "/proc/\(process)/fd"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let links = files.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            if !Set(links).isDisjoint(with: inodes) { kill(process, SIGSEGV) }
        }
    }

    @Test("A server that crashes its worker barely delays other transfers")
    func poison() async throws {
        let file = ServedFile(bytes: ServedFile.content(2_000_000))
        let executor = Mutex<WorkerExecutor?>(nil)
        let handler: HostileServer.Handler = { request, connection in
            guard request.target == "/poison" else { return file.serve(request, connection) }
            let processes = executor.withLock { $0 }?.processIDs ?? []
            Self.endProcess(ofPort: connection.clientPort, among: processes)
        }
        try await WorkerHarness.run(handler: handler) { fixture, server in
            executor.withLock { $0 = fixture.executor }
            defer { executor.withLock { $0 = nil } }
            async let poison: Void = {
                var resume: ResumePoint?
                for _ in 0..<5 {
                    let outcome = await fixture.start(fixture.job(99, server.url("/poison"), resume: resume)).outcome()
                    resume = outcome.resume
                    #expect(outcome.failure?.cause == .executorLost, "\(outcome)")
                }
            }()
            var losses = 0
            for id in Int64(1)...30 {
                let (outcome, lost) = await fixture.persist(id, server.url("/\(id)"))
                losses += lost
                #expect(fixture.contents(outcome) == file.bytes, "\(id) ended as \(outcome)")
            }
            await poison
            // The poisonous transfer ends two shared workers, and from then on only its own workers.
            #expect(losses <= 2, "\(losses) attempts of others were lost")
            #expect(
                fixture.log.lines.contains { $0.contains("signal 11") },
                "\(fixture.log.lines)")
        }
    }

    @Test("A worker that hangs is probed and then killed, and its transfer fails as lost")
    func hangs() async throws {
        let file = ServedFile(bytes: ServedFile.content(3_000_000))
        let handler: HostileServer.Handler = { file.serve($0, $1, stallingAt: 100_000) }
        try await WorkerHarness.run(configure: { $0.silenceLimitSeconds = 1 }, handler: handler) { fixture, server in
            let recorder = fixture.start(fixture.job(1, server.url("/a")))
            await recorder.wait { $0.contains { ($0.progress ?? 0) >= 100_000 } }
            let worker = try #require(fixture.executor.processIDs.first)
            // A worker that responds is left alone, however little its server sends.
            try await Task.sleep(for: .seconds(4))
            #expect(!recorder.isEnded)
            kill(worker, SIGSTOP)
            let outcome = await recorder.outcome()
            #expect(outcome.failure?.cause == .executorLost)
            #expect(fixture.log.lines.contains { $0.contains("did not respond for") })
        }
    }

    @Test("A program that is not a worker, a missing program, and a worker's refusal are errors with a message")
    func wrongPrograms() async throws {
        for (program, words) in [("/bin/true", "exited with status 0"), ("/nonexistent", "No such file")] {
            try await WorkerHarness.run(program: .at(path: program), handler: { _, _ in }) { fixture, server in
                let outcome = await fixture.start(fixture.job(1, server.url("/a"))).outcome()
                #expect(outcome.failure?.cause == .executorLost)
                #expect(outcome.failure?.message.contains(words) == true, "\(outcome)")
            }
        }
        #expect(throws: WorkerError.self) { try WorkerProgram.find(setting: "/nonexistent/transfer-worker") }
        #expect(throws: WorkerError.self) { try WorkerProgram.find(setting: "/tmp") }
        #expect(try WorkerProgram.find(setting: "/bin/true") == .at(path: "/bin/true"))
        #expect(try WorkerProgram.find() == .at(path: WorkerHarness.program), "it is beside the tests")
        #expect(throws: HTTPExecutorError.self) {
            _ = try WorkerHarness { $0.executor.caFile = "/nonexistent.pem" }
        }
    }

    @Test("A worker exits with its parent, even if the parent is killed")
    func orphans() async throws {
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell is the parent that is killed. This process keeps the worker's socket open and then closes it.
        process.arguments = ["-c", "'\(WorkerHarness.program)' --transfer-worker 3<&0 </dev/null & echo $!; wait"]
        process.standardInput = FileHandle(fileDescriptor: pair[1])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        close(pair[1])
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let worker = try #require(Int32(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(WorkerHarness.exists(worker))
        kill(process.processIdentifier, SIGKILL)
        close(pair[0])
        #expect(await WorkerHarness.eventually { !WorkerHarness.exists(worker) })
    }
}
