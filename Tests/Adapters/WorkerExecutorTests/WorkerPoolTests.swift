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
    /// A pool of processes that nobody listens to.
    private final class Bench {
        var pool: WorkerPool
        private let configuration: WorkerExecutorConfiguration

        init(_ change: (inout WorkerExecutorConfiguration) -> Void = { _ in }) {
            // Ends at once: what is posted to it is lost.
            var configuration = WorkerExecutorConfiguration(
                executor: URLSessionExecutorConfiguration(partialDirectory: "/nowhere"), program: .at(path: "/bin/true")
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

        func end(_ id: Int64) { pool.take(.ended(.stopped(nil)), of: TransferID(id)) }

        func checkpoint(_ id: Int64, _ bytes: Int64) {
            pool.take(
                .checkpointed(ResumePoint(path: "/p", offset: bytes, total: nil, validator: nil, bootID: "b")),
                of: TransferID(id))
        }

        /// The workers that get no further attempts and were told to exit.
        var retiring: [Int] { pool.workers.filter(\.value.isRetiring).keys.sorted() }
    }

    @Test("the worker with the fewest attempts is used, and a further worker is wanted when each has enough to do")
    func sharing() throws {
        let bench = Bench { ($0.workers, $0.attemptsPerWorker) = (2, 2) }
        #expect(bench.pool.sharedWorker(of: nil) == nil)
        try bench.start()
        for id: Int64 in 1...2 {
            #expect(bench.pool.sharedWorker(of: nil) == 1)
            bench.give(id, to: 1)
        }
        #expect(bench.pool.sharedWorker(of: nil) == nil)
        try bench.start()
        #expect(bench.pool.sharedWorker(of: nil) == 2)
        for id: Int64 in 3...4 { bench.give(id, to: 2) }
        // There may be no third.
        #expect(bench.pool.sharedWorker(of: nil) == 1)
        bench.end(4)
        #expect(bench.pool.sharedWorker(of: nil) == 2)
    }

    @Test("a pool that yields to other programs has one worker, however much that has to do")
    func yielding() throws {
        let bench = Bench { ($0.workers, $0.attemptsPerWorker) = (4, 1) }
        bench.pool.limits.yieldsToForeground = true
        try bench.start()
        bench.give(1, to: 1)
        #expect(bench.pool.sharedWorker(of: nil) == 1)
    }

    @Test("a worker serves its own group only, and an isolated worker serves nobody else")
    func groups() throws {
        let bench = Bench()
        try bench.start()
        try bench.start(group: "a")
        try bench.start(group: "b", isIsolated: true)
        #expect(bench.pool.sharedWorker(of: nil) == 1)
        #expect(bench.pool.sharedWorker(of: "a") == 2)
        #expect(bench.pool.sharedWorker(of: "b") == nil)
    }

    @Test("of groups' workers that idle two stay, those that had something to do last")
    func idleGroups() throws {
        let bench = Bench()
        for group in ["a", "b", "c"] {
            bench.give(Int64(group.utf8.first ?? 0), to: try bench.start(group: group))
        }
        bench.pool.heard(1)
        for group in ["a", "b"] { bench.end(Int64(group.utf8.first ?? 0)) }
        #expect(bench.retiring.isEmpty)
        bench.end(Int64(UInt8(ascii: "c")))
        // The second was heard of before the first, and the third.
        #expect(bench.retiring == [2])
    }

    @Test("a worker with files of the system as they were before gets nothing more, and goes when it has nothing left")
    func outdated() throws {
        let bench = Bench()
        try bench.start(caFile: "/etc/passwd")
        bench.give(1, to: 1)
        #expect(bench.pool.sharedWorker(of: nil) == nil)
        #expect(bench.retiring.isEmpty)
        bench.end(1)
        #expect(bench.retiring == [1])
    }

    @Test(
        "a transfer that ended two workers is suspect until it goes on or ends; one that was stopping is not to blame")
    func suspects() throws {
        let bench = Bench()
        func crash(_ id: Int64, isStopping: Bool = false) throws {
            let worker = try bench.start()
            bench.give(id, to: worker, isStopping: isStopping)
            bench.checkpoint(id, 10)
            #expect(bench.pool.removeWorker(worker).lost.map(\.id) == [TransferID(id)])
        }
        for id: Int64 in [1, 2] { try crash(id) }
        try crash(2, isStopping: true)
        try crash(1)
        #expect(bench.pool.isSuspect(TransferID(1)))
        #expect(!bench.pool.isSuspect(TransferID(2)))
        bench.give(1, to: try bench.start(isIsolated: true))
        bench.checkpoint(1, 10)
        bench.checkpoint(1, 10)
        #expect(bench.pool.isSuspect(TransferID(1)), "no more bytes than before")
        bench.checkpoint(1, 11)
        #expect(!bench.pool.isSuspect(TransferID(1)))
        try crash(2)
        #expect(bench.pool.isSuspect(TransferID(2)))
        bench.end(2)
        #expect(!bench.pool.isSuspect(TransferID(2)))
    }

    @Test("an isolated worker goes with its attempt")
    func isolated() throws {
        let bench = Bench()
        bench.give(1, to: try bench.start(isIsolated: true))
        #expect(bench.retiring.isEmpty)
        bench.end(1)
        #expect(bench.retiring == [1])
    }

    @Test("a worker that idles too long goes; one that is silent with work is asked, and ended if it does not answer")
    func silence() throws {
        let bench = Bench { ($0.idleSeconds, $0.patienceSeconds) = (60, 30) }
        try bench.start()
        bench.give(1, to: try bench.start())
        let start = DispatchTime.now().uptimeNanoseconds
        func look(_ seconds: UInt64) -> [Int] {
            bench.pool.lookAfterWorkers(now: start + seconds * 1_000_000_000).map(\.number)
        }
        #expect(look(29).isEmpty)
        #expect(bench.pool.workers[2]?.isProbed == false)
        #expect(look(31).isEmpty)
        #expect(bench.pool.workers[2]?.isProbed == true)
        #expect(look(59).isEmpty && bench.retiring.isEmpty)
        #expect(look(61) == [2])
        #expect(bench.retiring == [1])
        bench.pool.heard(2)
        #expect(bench.pool.workers[2]?.isProbed == false)
    }

    @Test("a worker answers its first order once, and is refused once, with the first reason")
    func answers() throws {
        let bench = Bench()
        try bench.start()
        let answers = [bench.pool.isFirstAnswer(of: 1), bench.pool.isFirstAnswer(of: 1)]
        #expect(answers == [true, false])
        bench.pool.refuse(1, "first")
        bench.pool.refuse(1, "second")
        #expect(bench.pool.workers[1]?.refusal == "first")
        #expect(bench.retiring == [1])
    }

    @Test("who waits for the end is told when neither attempts nor workers are left")
    func ending() async throws {
        let bench = Bench()
        await withCheckedContinuation { if !bench.pool.keepWaiting($0) { $0.resume() } }
        bench.give(1, to: try bench.start())
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isKept = bench.pool.keepWaiting(continuation)
            #expect(isKept)
            #expect(bench.pool.takeWaiting().isEmpty)
            bench.end(1)
            #expect(bench.pool.takeWaiting().isEmpty)
            _ = bench.pool.removeWorker(1)
            let waiting = bench.pool.takeWaiting()
            #expect(waiting.count == 1)
            for continuation in waiting { continuation.resume() }
            #expect(bench.pool.takeWaiting().isEmpty)
        }
    }
}
