// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Logging
import Synchronization
import TransferEngine
import TransferFiles
internal import TransferModel

/// Which worker gets what, what workers say, and what follows their end.
extension WorkerExecutor {
    /// A worker ended so often under a transfer: from then on it has one of its own.
    private static let tolerableLosses = 2

    /// The number of a worker for that transfer, started where there is none with room.
    func worker(for job: TransferJob, in state: inout WorkerExecutorState) throws(WorkerError) -> Int {
        let group = configuration.isolationGroup(job)
        if state.losses[job.id, default: 0] >= Self.tolerableLosses {
            return try startWorker(isolated: true, group: group, in: &state)
        }
        let stamp = SystemFilesStamp(caFile: configuration.executor.caFile)
        for number in state.workers.keys.sorted() where state.workers[number]?.stamp != stamp {
            retire(number, in: &state)
        }
        let shared = state.workers.filter { $0.value.group == group && $0.value.isShared }
        let least = shared.min { ($0.value.attempts, $0.key) < ($1.value.attempts, $1.key) }
        guard let least,
            least.value.attempts < configuration.attemptsPerWorker || shared.count >= mostWorkers(in: state)
        else { return try startWorker(isolated: false, group: group, in: &state) }
        if least.value.attempts == 0 { state.workers[least.key]?.spoke() }
        return least.key
    }

    /// Groups' workers beyond this many that have nothing to do are let go at once.
    private static let mostIdleGroups = 2

    func startWorker(
        isolated: Bool, group: String? = nil, in state: inout WorkerExecutorState
    ) throws(WorkerError) -> Int {
        retireIdleGroups(in: &state)
        state.lastWorker += 1
        let number = state.lastWorker
        let stamp = SystemFilesStamp(caFile: configuration.executor.caFile)
        let process = try WorkerProcess(
            executable, receive: { [self] in take($0, from: number) },
            ended: { [self] in workerEnded(number, $0) })
        process.post(.configure(version: WireForm.version, configuration.executor))
        state.workers[number] = WorkerState(
            process: process, isIsolated: isolated, group: group, stamp: stamp,
            heard: DispatchTime.now().uptimeNanoseconds)
        shareLimits(in: &state)
        look()
        configuration.logger.debug(
            "worker started",
            metadata: ["worker": "\(number)", "process": "\(process.number)", "isolated": "\(isolated)"])
        return number
    }

    /// Workers count one another's bytes as those of other programs, so only one may yield to these.
    private func mostWorkers(in state: WorkerExecutorState) -> Int {
        state.limits.yieldsToForeground ? 1 : max(1, configuration.workers)
    }

    /// Gives each worker its part of the limits. Locked by the caller.
    ///
    /// By their number, not by their work: a worker with less to do leaves some unused.
    func shareLimits(in state: inout WorkerExecutorState) {
        let part = state.limits.divided(by: state.workers.count)
        for number in state.workers.keys.sorted() { state.workers[number]?.process.post(.limits(part)) }
    }

    // MARK: What a worker says, on its thread

    private func take(_ message: WorkerMessage, from number: Int) {
        switch message {
        case .ready(let version, let isRepaired, let warning, let confinement):
            guard isFirstAnswer(of: number) else { return }
            guard version != WireForm.version else {
                note(confinement, of: number)
                if let warning {
                    configuration.logger.warning(
                        "worker has no repair of URLSession, or one that was not tested with this Foundation",
                        metadata: ["worker": "\(number)", "repair": "\(warning.bounded)"])
                } else if !isRepaired, configuration.executor.usesRepair {
                    log(.warning, "works without the repair of URLSession: slower, and servers can end it", number)
                }
                return
            }
            refuse(number, "The worker program is of another version; install both from the same release.")
        case .unusable(let message):
            if isFirstAnswer(of: number) { refuse(number, message.bounded) }
        case .probed:
            heard(number)
        case .report(let id, let report):
            take(report, of: id, from: number)
        case .file(let id, let request):
            take(request, of: id, from: number)
        }
    }

    private func note(_ confinement: WorkerConfinement, of number: Int) {
        state.withLock { $0.confinement = confinement }
        let metadata: Logger.Metadata = ["worker": "\(number)", "confinement": "\(confinement)"]
        configuration.logger.debug("worker confined", metadata: metadata)
        if !confinement.missing.isEmpty {
            configuration.logger.warning("worker is confined in part only", metadata: metadata)
        }
    }

    /// Whether it is the first that it says; it says it once.
    private func isFirstAnswer(of number: Int) -> Bool {
        state.withLock { state in
            state.workers[number]?.spoke()
            guard state.workers[number]?.isReady == false else { return false }
            state.workers[number]?.isReady = true
            return true
        }
    }

    private func heard(_ number: Int) {
        state.withLock { $0.workers[number]?.spoke() }
    }

    /// It cannot work: its attempts end when it does.
    func refuse(_ number: Int, _ why: String) {
        state.withLock { state in
            guard state.workers[number]?.refusal == nil else { return }
            state.workers[number]?.refusal = why
            state.workers[number]?.isRetiring = true
            state.workers[number]?.process.kill()
        }
    }

    private func take(_ report: ExecutorReport, of id: TransferID, from number: Int) {
        guard let files = files(of: id, of: number, reporting: report) else { return }
        if case .ended = report { files.close() }
        let report = files.checked(report)
        let (tell, finished) = state.withLock { state in
            guard let attempt = state.attempts[id], attempt.files === files else {
                return (nil as (@Sendable (ExecutorReport) -> Void)?, [] as [CheckedContinuation<Void, Never>])
            }
            switch report {
            case .checkpointed(let resume):
                // It goes on, so it is not what ended the workers before.
                if let before = attempt.resume, resume.bytes > before.bytes { state.losses[id] = nil }
                state.attempts[id]?.resume = resume
            case .restarted:
                state.attempts[id]?.resume = nil
            case .progressed, .answered:
                break
            case .ended:
                state.losses[id] = nil
                forget(id, in: &state)
                return (attempt.report, state.takeWaiting())
            }
            return (attempt.report, [])
        }
        tell?(report)
        for continuation in finished { continuation.resume() }
    }

    private func forget(_ id: TransferID, in state: inout WorkerExecutorState) {
        guard let attempt = state.attempts.removeValue(forKey: id) else { return }
        state.workers[attempt.worker]?.attempts -= 1
        retireIdleGroups(in: &state)
        guard let worker = state.workers[attempt.worker], worker.isIsolated || worker.isOutdated else { return }
        retire(attempt.worker, in: &state)
    }

    /// Lets those go that have idled longest.
    private func retireIdleGroups(in state: inout WorkerExecutorState) {
        let idle = state.workers.filter { $0.value.group != nil && $0.value.attempts == 0 && !$0.value.isRetiring }
        let longest = idle.sorted { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }
        for (number, _) in longest.dropLast(Self.mostIdleGroups) { retire(number, in: &state) }
    }

    /// Gives it no further attempts, and lets it go once it has none.
    private func retire(_ number: Int, in state: inout WorkerExecutorState) {
        guard let worker = state.workers[number], !worker.isRetiring else { return }
        state.workers[number]?.isOutdated = true
        guard worker.attempts == 0 else { return }
        state.workers[number]?.isRetiring = true
        worker.process.post(.shutDown)
    }

    // MARK: Its end, on its thread

    private func workerEnded(_ number: Int, _ end: WorkerProcess.End) {
        let (lost, worker, isShutDown) = state.withLock { state in
            let lost = state.attempts.filter { $0.value.worker == number }.sorted { $0.key < $1.key }
            for (id, attempt) in lost {
                state.attempts[id] = nil
                if !attempt.isStopping { state.losses[id, default: 0] += 1 }
            }
            let worker = state.workers.removeValue(forKey: number)
            shareLimits(in: &state)
            return (lost, worker, state.isShutDown)
        }
        logEnd(of: number, end, worker, lost: lost.map(\.key))
        // What is being done to the files ends first: the next attempt finds them at rest.
        for (_, attempt) in lost { attempt.files.close() }
        let what = worker?.refusal ?? "The transfer process \(end.how) under it."
        for (_, attempt) in lost {
            if attempt.isStopping || isShutDown {
                attempt.report(.ended(.stopped(attempt.resume)))
            } else {
                let failure = TransferFailure(cause: .executorLost, message: what)
                attempt.report(.ended(.failed(failure, resume: attempt.resume)))
            }
        }
        // After the reports: who waits for the end waits for those, too.
        for continuation in state.withLock({ $0.takeWaiting() }) { continuation.resume() }
    }

    private func logEnd(
        of number: Int, _ end: WorkerProcess.End, _ worker: WorkerState?, lost: [TransferID]
    ) {
        let isExpected = end.isOrderly && lost.isEmpty
        var metadata: Logger.Metadata = ["worker": "\(number)"]
        if let worker { metadata["process"] = "\(worker.process.number)" }
        if !lost.isEmpty { metadata["transfers"] = .array(lost.map { "\($0)" }) }
        if let fault = end.fault { metadata["fault"] = "\(fault)" }
        if !end.lastWords.isEmpty { metadata["lastWords"] = "\(end.lastWords)" }
        if let refusal = worker?.refusal { metadata["refusal"] = "\(refusal)" }
        configuration.logger.log(level: isExpected ? .debug : .error, "worker \(end.how)", metadata: metadata)
    }

    func log(_ level: Logger.Level, _ what: Logger.Message, _ number: Int) {
        configuration.logger.log(level: level, "worker \(what)", metadata: ["worker": "\(number)"])
    }

    // MARK: Looking after them

    /// Looks at the workers from time to time while there are any.
    private func look() {
        timer.withLock { timer in
            guard timer == nil else { return }
            let step = max(1, min(configuration.idleSeconds, configuration.patienceSeconds) / 4)
            let made = DispatchSource.makeTimerSource(queue: queue)
            made.schedule(
                deadline: .now() + .seconds(step), repeating: .seconds(step), leeway: .seconds(max(1, step / 4)))
            made.setEventHandler { [weak self] in self?.lookAfterWorkers() }
            made.resume()
            timer = made
        }
    }

    func stopLooking() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    private func lookAfterWorkers() {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { state in
            if state.workers.isEmpty { stopLooking() }
            for number in state.workers.keys.sorted() { look(after: number, now: now, in: &state) }
        }
    }

    private func look(after number: Int, now: UInt64, in state: inout WorkerExecutorState) {
        guard let worker = state.workers[number] else { return }
        let silence = (now - min(worker.heard, now)) / 1_000_000_000
        let patience = UInt64(max(1, configuration.patienceSeconds))
        if worker.attempts == 0 {
            guard silence >= UInt64(max(0, configuration.idleSeconds)), !worker.isRetiring else { return }
            state.workers[number]?.isRetiring = true
            worker.process.post(.shutDown)
        } else if worker.isProbed, silence >= 2 * patience {
            log(.error, "has said nothing for \(silence) s, not even when asked, and is ended", number)
            worker.process.kill()
        } else if !worker.isProbed, silence >= patience {
            state.workers[number]?.isProbed = true
            worker.process.post(.probe(number))
        }
    }
}

extension WorkerExecutorState {
    /// Who waits for the end, where all has ended.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        guard isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
