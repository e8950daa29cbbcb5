// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import HostileServer
import Logging
import Synchronization
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import URLSessionExecutor
import WorkerExecutor

/// A stress test that downloads from a bad server while workers are killed and transfers are stopped.
///
/// The test ends after a time or after a number of kills.
final class Soak: Sendable {
    let options: SoakOptions
    let tally = Tally()
    private let server: HostileServer
    private let faults: Faults
    private let root: String
    private let executor: any TransferExecutor
    private let workers: WorkerExecutor?
    private let isOver = Mutex(false)

    init(options: SoakOptions) throws {
        self.options = options
        root = NSTemporaryDirectory() + "transfer-soak-\(getpid())"
        try FileManager.default.createDirectory(atPath: root + "/out", withIntermediateDirectories: true)
        let faults = Faults(seed: options.seed, isCrashing: !options.usesRepair)
        self.faults = faults
        server = try HostileServer { faults.answer($0, $1) }
        var configuration = URLSessionExecutorConfiguration(partialDirectory: root + "/partial")
        configuration.storageFloorBytes = 0
        configuration.usesRepair = options.usesRepair
        if options.isInProcess {
            workers = nil
            executor = try URLSessionExecutor(configuration: configuration)
        } else {
            guard let program = try WorkerProgram.find() else { throw WorkerError("there is no transfer-worker here") }
            let tally = tally
            var supervised = WorkerExecutorConfiguration(
                executor: configuration, program: program,
                logger: Logger(label: "soak") { _ in CountingLog(tally: tally) })
            supervised.workers = options.workers
            let made = try WorkerExecutor(configuration: supervised)
            workers = made
            executor = made
        }
    }

    /// Runs the test to its end and returns a sentence for each fault.
    func run() async -> [String] {
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for lane in 0..<options.lanes { group.addTask { await self.work(lane) } }
            if let workers { group.addTask { await self.killNowAndThen(workers) } }
            group.addTask { await self.sample() }
            group.addTask {
                while ContinuousClock.now - start < .seconds(self.options.seconds), self.tally.isRight {
                    try? await Task.sleep(for: .milliseconds(200))
                    if self.options.kills > 0, self.tally.kills >= self.options.kills { break }
                }
                self.isOver.withLock { $0 = true }
            }
        }
        await executor.shutdown()
        server.stop()
        let left = (try? FileManager.default.contentsOfDirectory(atPath: root + "/out")) ?? []
        try? FileManager.default.removeItem(atPath: root)
        let strays = left.isEmpty ? [] : ["files were left behind: \(left.prefix(5))"]
        return tally.faults + strays + Memory.growth(tally.samples)
    }

    private var goesOn: Bool { !isOver.withLock { $0 } }

    // MARK: Transfers, one after another in each lane

    private func work(_ lane: Int) async {
        var dice = SoakDice(seed: options.seed &+ UInt64(lane) &* 7919)
        var number: Int64 = 0
        while goesOn {
            number += 1
            let id = TransferID(Int64(lane) << 32 | number)
            let file = faults.file(lane: lane, number: number)
            await fetch(id, file, &dice)
        }
    }

    private func fetch(_ id: TransferID, _ file: SoakFile, _ dice: inout SoakDice) async {
        var resume: ResumePoint?
        for attempt in 1...400 {
            let recorder = Recorder()
            executor.start(job(id, file, resume), reporting: recorder.report)
            if dice.chance(15) {
                let milliseconds = dice.below(300)
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
                if let failure = outcome.failure, !failure.cause.mayPass {
                    tally.fault("\(id) (\(file.path)) failed for good: \(failure.message)")
                    return
                }
                if let before = resume, let kept, kept.offset < min(before.offset, kept.total ?? .max), attempt > 1 {
                    // Lost progress is counted but is not a fault: an answer without ranges
                    // makes an attempt start over.
                    tally.countLoss()
                }
                resume = kept
            }
        }
        tally.fault("\(id) (\(file.path)) did not end in 400 attempts")
    }

    private func job(_ id: TransferID, _ file: SoakFile, _ resume: ResumePoint?) -> TransferJob {
        let traits = TransferTraits(kind: .normal, host: "soak", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: server.url(file.path),
            destination: Destination(directory: root + "/out", name: "\(id)", collision: .overwrite),
            idleTimeoutSeconds: 2, traits: traits)
        return TransferJob(id: id, specification: specification, resume: resume)
    }

    private func check(_ completion: TransferCompletion, of id: TransferID, _ file: SoakFile) {
        guard let finished = completion.file else {
            return tally.fault("\(id) (\(file.path)) finished with \(completion.status) and without a file")
        }
        if !isRight(finished.path, file.bytes) {
            tally.fault("\(id) (\(file.path)) is not what the server has, seed \(options.seed)")
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
        var dice = SoakDice(seed: options.seed ^ 0x5eed)
        while goesOn {
            try? await Task.sleep(
                for: .milliseconds(options.kills > 0 ? 50 + dice.below(150) : 2000 + dice.below(8000)))
            guard goesOn, let number = workers.processNumbers.randomElement(using: &dice) else { continue }
            kill(number, SIGKILL)
            tally.countKill()
        }
    }

    private func sample() async {
        while goesOn {
            try? await Task.sleep(for: .seconds(1))
            // The requests recorded by the server must not count as memory growth.
            server.forgetRequests()
            tally.add(Memory.sample(getpid(), (workers?.processNumbers ?? [])))
        }
    }
}
