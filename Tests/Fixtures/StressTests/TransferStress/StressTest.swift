// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import ExecutorHarness
import Foundation
import Glibc
import HTTPExecutor
import HostileServer
import Logging
import Synchronization
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import WorkerExecutor

/// A stress test that downloads from a bad server while workers are killed and transfers are stopped.
///
/// The test ends after a time or after a number of kills.
final class StressTest: Sendable {
    let options: StressOptions
    let tally = Tally()
    private let server: HostileServer
    private let faults: Faults
    private let root: String
    private let executor: any TransferExecutor
    private let workers: WorkerExecutor?
    private let isEnded = Mutex(false)

    init(options: StressOptions) throws {
        self.options = options
        root = NSTemporaryDirectory() + "transfer-stress-\(getpid())"
        try FileManager.default.createDirectory(atPath: root + "/out", withIntermediateDirectories: true)
        let faults = Faults(seed: options.seed)
        self.faults = faults
        server = try HostileServer { faults.respond($0, $1) }
        var configuration = HTTPExecutorConfiguration(partialDirectory: root + "/partial")
        configuration.storageFloorBytes = 0
        if options.isInProcess {
            workers = nil
            executor = try HTTPExecutor(configuration: configuration, transport: .curl)
        } else {
            guard let program = try WorkerProgram.find() else {
                throw WorkerError("no transfer-worker next to this program")
            }
            let tally = tally
            var supervised = WorkerExecutorConfiguration(
                executor: configuration, program: program,
                logger: Logger(label: "stress") { _ in CountingLog(tally: tally) })
            supervised.workers = options.workers
            let made = try WorkerExecutor(configuration: supervised)
            workers = made
            executor = made
        }
    }

    /// Runs the test to its end.
    ///
    /// - Returns: A sentence for each fault.
    func run() async -> [String] {
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for slot in 0..<options.parallel { group.addTask { await self.work(slot) } }
            if let workers { group.addTask { await self.killNowAndThen(workers) } }
            group.addTask { await self.sample() }
            group.addTask {
                while ContinuousClock.now - start < .seconds(self.options.seconds), self.tally.isRight {
                    try? await Task.sleep(for: .milliseconds(200))
                    if self.options.kills > 0, self.tally.kills >= self.options.kills { break }
                }
                self.isEnded.withLock { $0 = true }
            }
        }
        await executor.shutdown()
        server.stop()
        let left = (try? FileManager.default.contentsOfDirectory(atPath: root + "/out")) ?? []
        try? FileManager.default.removeItem(atPath: root)
        let leftFiles = left.isEmpty ? [] : ["files were left over: \(left.prefix(5))"]
        return tally.faults + leftFiles + Memory.growth(tally.samples)
    }

    private var isActive: Bool { !isEnded.withLock { $0 } }

    // MARK: Transfers, one after another in each slot

    private func work(_ slot: Int) async {
        var generator = SplitMix64(seed: options.seed &+ UInt64(slot) &* 7919)
        var number: Int64 = 0
        while isActive {
            number += 1
            let id = TransferID(Int64(slot) << 32 | number)
            let file = faults.file(slot: slot, number: number)
            await fetch(id, file, &generator)
        }
    }

    private func fetch(_ id: TransferID, _ file: StressFile, _ generator: inout SplitMix64) async {
        var resume: ResumePoint?
        for attempt in 1...400 {
            let recorder = Recorder()
            executor.start(job(id, file, resume), reporting: recorder.report)
            if generator.chance(15) {
                let milliseconds = generator.below(300)
                let stop = Task {
                    try? await Task.sleep(for: .milliseconds(milliseconds))
                    executor.stop(id)
                }
                _ = await recorder.outcome()
                await stop.value
            }
            let outcome = await recorder.outcome()
            tally.count(attempt: outcome)
            switch outcome {
            case .finished(let completion):
                if completion.file == nil, completion.status == 416 { continue }
                check(completion, of: id, file)
                return
            case .stopped(let kept), .failed(_, let kept), .storageLow(_, _, let kept), .challenged(_, let kept):
                if let failure = outcome.failure, !failure.cause.isTemporary {
                    tally.fault("\(id) (\(file.path)) failed permanently: \(failure.message)")
                    return
                }
                if let before = resume, let kept, kept.offset < min(before.offset, kept.total ?? .max), attempt > 1 {
                    // Lost progress is counted but is not a fault: a response without ranges
                    // makes an attempt start over.
                    tally.countLoss()
                }
                resume = kept
            }
        }
        tally.fault("\(id) (\(file.path)) did not finish in 400 attempts")
    }

    private func job(_ id: TransferID, _ file: StressFile, _ resume: ResumePoint?) -> TransferJob {
        let traits = TransferTraits(kind: .normal, host: "stress", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: server.url(file.path),
            destination: Destination(directory: root + "/out", name: "\(id)", collision: .overwrite),
            idleTimeoutSeconds: 2, traits: traits)
        return TransferJob(id: id, specification: specification, resume: resume)
    }

    private func check(_ completion: TransferCompletion, of id: TransferID, _ file: StressFile) {
        guard let finished = completion.file else {
            return tally.fault("\(id) (\(file.path)) finished with status \(completion.status) but without a file")
        }
        if !isRight(finished.path, file.bytes) {
            tally.fault("\(id) (\(file.path)) differs from the server's file, seed \(options.seed)")
        } else {
            unlink(finished.path)
            tally.countFile(bytes: file.bytes.count)
        }
    }

    private func isRight(_ path: String, _ bytes: [UInt8]) -> Bool {
        // Foundation leaks a page for each empty file that it reads, about 20 MB per hour.
        guard bytes.isEmpty else { return FileManager.default.contents(atPath: path) == Data(bytes) }
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int == 0
    }

    // MARK: Concurrent activity

    private func killNowAndThen(_ workers: WorkerExecutor) async {
        var generator = SplitMix64(seed: options.seed ^ 0x5eed)
        while isActive {
            try? await Task.sleep(
                for: .milliseconds(options.kills > 0 ? 50 + generator.below(150) : 2000 + generator.below(8000)))
            guard isActive, let number = workers.processIDs.randomElement(using: &generator) else { continue }
            kill(number, SIGKILL)
            tally.countKill()
        }
    }

    private func sample() async {
        while isActive {
            try? await Task.sleep(for: .seconds(1))
            // The requests recorded by the server must not count as memory growth.
            server.discardRequests()
            tally.add(Memory.sample(getpid(), (workers?.processIDs ?? [])))
        }
    }
}
