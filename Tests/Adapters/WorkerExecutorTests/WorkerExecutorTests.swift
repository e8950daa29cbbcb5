// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
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
import WorkerBench

@testable import WorkerExecutor

@Suite("WorkerExecutor", .timeLimit(.minutes(3)))
struct WorkerExecutorTests {
    @Test(
        "keeps the contract of its port, with the repair and without",
        arguments: TransferExecutorContract.Check.allCases, [true, false])
    func contract(_ check: TransferExecutorContract.Check, repaired: Bool) async throws {
        try await TransferExecutorContract {
            try ServerHarness { try WorkerBench(repaired: repaired, root: $0).executor }
        }.run(check)
    }

    @Test("the worker is another process, and is gone when the executor was shut down")
    func processes() async throws {
        let file = ServedFile(bytes: ServedFile.content(100_000))
        try await WorkerBench.run(handler: file.serve) { bench, server in
            #expect(bench.executor.processNumbers.isEmpty, "a process before there is work")
            let outcome = await bench.start(bench.job(1, server.url("/a"))).outcome()
            #expect(bench.contents(outcome) == file.bytes)
            let numbers = bench.executor.processNumbers
            try #require(numbers.count == 1)
            #expect(numbers[0] != getpid())
            await bench.executor.shutdown()
            #expect(!WorkerBench.exists(numbers[0]))
            #expect(bench.log.lines.last?.contains("debug worker ended with status 0") == true, "\(bench.log.lines)")
        }
    }

    @Test("a killed worker loses nothing: its transfers fail with what is on disk, and the next worker goes on")
    func killed() async throws {
        let file = ServedFile(bytes: ServedFile.content(3_000_000))
        let isHealed = Mutex(false)
        let handler: HostileServer.Handler = { request, connection in
            guard !isHealed.withLock({ $0 }) else { return file.serve(request, connection) }
            file.serve(request, connection, stallingAt: 1_000_000)
        }
        try await WorkerBench.run(handler: handler) { bench, server in
            let recorder = bench.start(bench.job(1, server.url("/a")))
            await recorder.wait { $0.contains { ($0.progress ?? 0) >= 1_000_000 } }
            let worker = try #require(bench.executor.processNumbers.first)
            kill(worker, SIGKILL)
            let outcome = await recorder.outcome()
            #expect(outcome.failure?.cause == .executorLost)
            #expect(outcome.failure?.message.contains("signal 9") == true, "\(outcome)")
            #expect(!WorkerBench.exists(worker))
            let resume = try #require(outcome.resume, "nothing to go on from")
            isHealed.withLock { $0 = true }
            let second = await bench.start(bench.job(1, server.url("/a"), resume: resume)).outcome()
            #expect(bench.contents(second) == file.bytes)
            let asked = server.requests.compactMap(\.range?.first)
            #expect(asked.contains { $0 > 900_000 }, "it began anew: \(asked)")
            #expect(
                bench.log.lines.contains {
                    $0.hasPrefix("error worker was ended by signal 9") && $0.contains("transfers=")
                }, "\(bench.log.lines)")
        }
    }

    @Test("a server that ends its worker takes no other transfer with it for long, and the log has the last words")
    func poison() async throws {
        let file = ServedFile(bytes: ServedFile.content(2_000_000))
        let handler: HostileServer.Handler = { request, connection in
            guard request.target == "/poison" else { return file.serve(request, connection) }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
            connection.sendChunk(Array("hello".utf8))
            connection.send("0\r\nX-Sum: 1\r\n\r\n")
        }
        try await WorkerBench.run(repaired: false, handler: handler) { bench, server in
            async let poison: Void = {
                var resume: ResumePoint?
                for _ in 0..<5 {
                    let outcome = await bench.start(bench.job(99, server.url("/poison"), resume: resume)).outcome()
                    resume = outcome.resume
                    #expect(outcome.failure?.cause == .executorLost, "\(outcome)")
                }
            }()
            var losses = 0
            for id in Int64(1)...30 {
                let (outcome, lost) = await bench.persist(id, server.url("/\(id)"))
                losses += lost
                #expect(bench.contents(outcome) == file.bytes, "\(id) ended as \(outcome)")
            }
            await poison
            // The poisonous transfer ends two shared workers, and from then on only its own workers.
            #expect(losses <= 2, "\(losses) attempts of others were lost")
            #expect(
                bench.log.lines.contains { $0.contains("signal") && $0.contains("lastWords") }, "\(bench.log.lines)")
        }
    }

    @Test("a worker that hangs is asked, then ended, and its transfer fails as lost")
    func hangs() async throws {
        let file = ServedFile(bytes: ServedFile.content(3_000_000))
        let handler: HostileServer.Handler = { file.serve($0, $1, stallingAt: 100_000) }
        try await WorkerBench.run(configure: { $0.patienceSeconds = 1 }, handler: handler) { bench, server in
            let recorder = bench.start(bench.job(1, server.url("/a")))
            await recorder.wait { $0.contains { ($0.progress ?? 0) >= 100_000 } }
            let worker = try #require(bench.executor.processNumbers.first)
            // A worker that answers is left alone, however little its server sends.
            try await Task.sleep(for: .seconds(4))
            #expect(!recorder.isOver)
            kill(worker, SIGSTOP)
            let outcome = await recorder.outcome()
            #expect(outcome.failure?.cause == .executorLost)
            #expect(bench.log.lines.contains { $0.contains("has said nothing") })
        }
    }

    @Test("a worker without work is let go, and the next transfer gets a new one")
    func idle() async throws {
        let file = ServedFile(bytes: ServedFile.content(1000))
        try await WorkerBench.run(configure: { $0.idleSeconds = 1 }, handler: file.serve) { bench, server in
            #expect(bench.contents(await bench.start(bench.job(1, server.url("/a"))).outcome()) == file.bytes)
            #expect(await WorkerBench.eventually { bench.executor.processNumbers.isEmpty }, "it is still there")
            #expect(bench.log.lines.last?.contains("debug worker ended with status 0") == true, "\(bench.log.lines)")
            #expect(bench.contents(await bench.start(bench.job(2, server.url("/a"))).outcome()) == file.bytes)
        }
    }

    @Test("several workers share the attempts when each has enough")
    func several() async throws {
        let file = ServedFile(bytes: ServedFile.content(300_000))
        let configure: (inout WorkerExecutorConfiguration) -> Void = {
            $0.workers = 2
            $0.attemptsPerWorker = 2
        }
        try await WorkerBench.run(configure: configure, handler: file.serve) { bench, server in
            let recorders = (Int64(1)...8).map { bench.start(bench.job($0, server.url("/\($0)"))) }
            #expect(bench.executor.processNumbers.count == 2)
            for recorder in recorders { #expect(bench.contents(await recorder.outcome()) == file.bytes) }
        }
    }

    @Test("a program that is no worker, one that is missing and a worker's refusal are errors in words")
    func wrongPrograms() async throws {
        for (program, words) in [("/bin/true", "ended with status 0"), ("/nonexistent", "No such file")] {
            try await WorkerBench.run(program: .at(path: program), handler: { _, _ in }) { bench, server in
                let outcome = await bench.start(bench.job(1, server.url("/a"))).outcome()
                #expect(outcome.failure?.cause == .executorLost)
                #expect(outcome.failure?.message.contains(words) == true, "\(outcome)")
            }
        }
        #expect(throws: WorkerError.self) { try WorkerProgram.find(setting: "/nonexistent/transfer-worker") }
        #expect(throws: WorkerError.self) { try WorkerProgram.find(setting: "/tmp") }
        #expect(try WorkerProgram.find(setting: "/bin/true") == .at(path: "/bin/true"))
        #expect(try WorkerProgram.find() == .at(path: WorkerBench.program), "it is beside the tests")
        #expect(throws: URLSessionExecutorError.self) {
            _ = try WorkerBench { $0.executor.caFile = "/nonexistent.pem" }
        }
    }

    @Test("a worker ends with its parent, even one that was killed")
    func orphans() async throws {
        var pair: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell is the parent that is killed. This process holds the worker's socket and then closes it.
        process.arguments = ["-c", "'\(WorkerBench.program)' --transfer-worker 3<&0 </dev/null & echo $!; wait"]
        process.standardInput = FileHandle(fileDescriptor: pair[1])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        close(pair[1])
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let worker = try #require(Int32(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(WorkerBench.exists(worker))
        kill(process.processIdentifier, SIGKILL)
        close(pair[0])
        #expect(await WorkerBench.eventually { !WorkerBench.exists(worker) })
    }
}
