// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Testing
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy

@testable import WorkerExecutor

@Suite(.timeLimit(.minutes(1)))
struct WorkerPoolTests {
    @Test("A worker inherits the variables of its libraries, and no tokens")
    func environment() {
        let secrets = [
            "HF_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DBUS_SESSION_BUS_ADDRESS", "PGPASSWORD", "HTTP_PROXY",
        ]
        let needed = ["https_proxy", "SSL_CERT_FILE", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "MALLOC_TOP_PAD_"]
        let inherited = WorkerProcess.environment(
            of: Dictionary(uniqueKeysWithValues: (secrets + needed).map { ($0, "own") }))
        #expect(inherited.filter { $0.value == "own" }.keys.sorted() == needed.sorted())
        #expect(inherited["MALLOC_MMAP_THRESHOLD_"] != nil)
    }

    /// A pool of processes whose messages are ignored.
    private final class PoolFixture {
        var pool: WorkerPool
        private let configuration: WorkerExecutorConfiguration

        init(_ change: (inout WorkerExecutorConfiguration) -> Void = { _ in }) {
            // Ends immediately: what is posted to it is lost.
            var configuration = WorkerExecutorConfiguration(
                executor: HTTPExecutorConfiguration(partialDirectory: "/nowhere"), program: .at(path: "/bin/true")
            )
            change(&configuration)
            self.configuration = configuration
            pool = WorkerPool(configuration)
        }

        /// Starts a worker.
        @discardableResult
        func start(group: String? = nil, isIsolated: Bool = false, caFile: String? = nil) throws -> Int {
            let number = pool.nextNumber()
            let process = try WorkerProcess(
                WorkerExecutable(configuration.program), receive: { _ in }, ended: { _ in })
            pool.add(
                WorkerState(
                    process: process, isIsolated: isIsolated, group: group, stamp: SystemFilesStamp(caFile: caFile)),
                as: number)
            return number
        }

        /// Gives a worker the attempt of a transfer.
        func give(_ id: Int64, to worker: Int, isStopping: Bool = false) {
            let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 0))
            let specification = TransferSpecification(
                url: "http://h/f", destination: Destination(directory: "/nowhere", name: "f"), traits: traits)
            let job = TransferJob(id: TransferID(id), specification: specification, resume: nil)
            var attempt = WorkerAttempt(
                worker: worker, files: BrokeredFiles(job: job, configuration: configuration.executor), report: { _ in })
            attempt.isStopping = isStopping
            pool.add(attempt, of: TransferID(id))
        }

        func end(_ id: Int64) { pool.accept(.ended(.stopped(nil)), of: TransferID(id)) }

        func checkpoint(_ id: Int64, _ bytes: Int64) {
            pool.accept(
                .checkpointed(ResumePoint(path: "/p", offset: bytes, total: nil, validator: nil, bootID: "b")),
                of: TransferID(id))
        }

        /// The workers that get no further attempts and have received the shutdown order.
        var retiring: [Int] { pool.workers.filter(\.value.isRetiring).keys.sorted() }
    }

    @Test("The worker with the fewest attempts is used, and another worker starts once each has enough attempts")
    func sharing() throws {
        let fixture = PoolFixture { ($0.workers, $0.attemptsPerWorker) = (2, 2) }
        #expect(fixture.pool.sharedWorker(of: nil) == nil)
        try fixture.start()
        for id: Int64 in 1...2 {
            #expect(fixture.pool.sharedWorker(of: nil) == 1)
            fixture.give(id, to: 1)
        }
        #expect(fixture.pool.sharedWorker(of: nil) == nil)
        try fixture.start()
        #expect(fixture.pool.sharedWorker(of: nil) == 2)
        for id: Int64 in 3...4 { fixture.give(id, to: 2) }
        // There may be no third.
        #expect(fixture.pool.sharedWorker(of: nil) == 1)
        fixture.end(4)
        #expect(fixture.pool.sharedWorker(of: nil) == 2)
    }

    @Test("A pool that yields to other programs has one worker, whatever its load")
    func yielding() throws {
        let fixture = PoolFixture { ($0.workers, $0.attemptsPerWorker) = (4, 1) }
        fixture.pool.limits.yieldsToForeground = true
        try fixture.start()
        fixture.give(1, to: 1)
        #expect(fixture.pool.sharedWorker(of: nil) == 1)
    }

    @Test("A worker serves only its own group, and an isolated worker serves no other transfers")
    func groups() throws {
        let fixture = PoolFixture()
        try fixture.start()
        try fixture.start(group: "a")
        try fixture.start(group: "b", isIsolated: true)
        #expect(fixture.pool.sharedWorker(of: nil) == 1)
        #expect(fixture.pool.sharedWorker(of: "a") == 2)
        #expect(fixture.pool.sharedWorker(of: "b") == nil)
    }

    @Test("Of idle group workers, the two that were used last stay")
    func idleGroups() throws {
        let fixture = PoolFixture()
        for group in ["a", "b", "c"] {
            fixture.give(Int64(group.utf8.first ?? 0), to: try fixture.start(group: group))
        }
        fixture.pool.heard(1)
        for group in ["a", "b"] { fixture.end(Int64(group.utf8.first ?? 0)) }
        #expect(fixture.retiring.isEmpty)
        fixture.end(Int64(UInt8(ascii: "c")))
        // The second was heard of before the first, and the third.
        #expect(fixture.retiring == [2])
    }

    @Test("A worker with outdated system files receives no further attempts and is shut down once it is idle")
    func outdated() throws {
        let fixture = PoolFixture()
        try fixture.start(caFile: "/etc/passwd")
        fixture.give(1, to: 1)
        #expect(fixture.pool.sharedWorker(of: nil) == nil)
        #expect(fixture.retiring.isEmpty)
        fixture.end(1)
        #expect(fixture.retiring == [1])
    }

    @Test(
        "A transfer that ended two workers is suspect until it progresses or ends, unless it was stopping")
    func suspects() throws {
        let fixture = PoolFixture()
        func crash(_ id: Int64, isStopping: Bool = false) throws {
            let worker = try fixture.start()
            fixture.give(id, to: worker, isStopping: isStopping)
            fixture.checkpoint(id, 10)
            #expect(fixture.pool.removeWorker(worker).lost.map(\.id) == [TransferID(id)])
        }
        for id: Int64 in [1, 2] { try crash(id) }
        try crash(2, isStopping: true)
        try crash(1)
        #expect(fixture.pool.isSuspect(TransferID(1)))
        #expect(!fixture.pool.isSuspect(TransferID(2)))
        fixture.give(1, to: try fixture.start(isIsolated: true))
        fixture.checkpoint(1, 10)
        fixture.checkpoint(1, 10)
        #expect(fixture.pool.isSuspect(TransferID(1)), "no more bytes than before")
        fixture.checkpoint(1, 11)
        #expect(!fixture.pool.isSuspect(TransferID(1)))
        try crash(2)
        #expect(fixture.pool.isSuspect(TransferID(2)))
        fixture.end(2)
        #expect(!fixture.pool.isSuspect(TransferID(2)))
    }

    @Test("An isolated worker is shut down with its attempt")
    func isolated() throws {
        let fixture = PoolFixture()
        fixture.give(1, to: try fixture.start(isIsolated: true))
        #expect(fixture.retiring.isEmpty)
        fixture.end(1)
        #expect(fixture.retiring == [1])
    }

    @Test("A worker that is idle too long is shut down; a silent worker is probed and killed if it does not respond")
    func silence() throws {
        let fixture = PoolFixture { ($0.idleSeconds, $0.silenceLimitSeconds) = (60, 30) }
        try fixture.start()
        fixture.give(1, to: try fixture.start())
        let start = DispatchTime.now().uptimeNanoseconds
        func supervise(_ seconds: UInt64) -> [Int] {
            fixture.pool.superviseWorkers(now: start + seconds * 1_000_000_000).map(\.number)
        }
        #expect(supervise(29).isEmpty)
        #expect(fixture.pool.workers[2]?.isProbed == false)
        #expect(supervise(31).isEmpty)
        #expect(fixture.pool.workers[2]?.isProbed == true)
        #expect(supervise(59).isEmpty && fixture.retiring.isEmpty)
        #expect(supervise(61) == [2])
        #expect(fixture.retiring == [1])
        fixture.pool.heard(2)
        #expect(fixture.pool.workers[2]?.isProbed == false)
    }

    @Test("A worker replies to its first order once, and is refused once, with the first reason")
    func replies() throws {
        let fixture = PoolFixture()
        try fixture.start()
        let replies = [fixture.pool.isFirstReply(of: 1), fixture.pool.isFirstReply(of: 1)]
        #expect(replies == [true, false])
        fixture.pool.refuse(1, "first")
        fixture.pool.refuse(1, "second")
        #expect(fixture.pool.workers[1]?.refusal == "first")
        #expect(fixture.retiring == [1])
    }

    @Test("Waiting calls resume once no attempts and workers are left")
    func ending() async throws {
        let fixture = PoolFixture()
        await withCheckedContinuation { if !fixture.pool.addContinuation($0) { $0.resume() } }
        fixture.give(1, to: try fixture.start())
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isKept = fixture.pool.addContinuation(continuation)
            #expect(isKept)
            #expect(fixture.pool.removeContinuations().isEmpty)
            fixture.end(1)
            #expect(fixture.pool.removeContinuations().isEmpty)
            _ = fixture.pool.removeWorker(1)
            let waiting = fixture.pool.removeContinuations()
            #expect(waiting.count == 1)
            for continuation in waiting { continuation.resume() }
            #expect(fixture.pool.removeContinuations().isEmpty)
        }
    }
}
