// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

/// A fuse that burns down with each step that the engine takes through its ports. Ends the engine's life at a step of
/// the test's choice.
final class Fuse: Sendable {
    private struct State {
        var left: Int
        var last = "none"
        var isBurnt = false
    }
    private let state: Mutex<State>

    /// Creates a fuse that allows a number of steps.
    init(steps: Int = .max) { state = Mutex(State(left: steps)) }

    var isBurnt: Bool { state.withLock(\.isBurnt) }
    /// The first step that did not happen.
    var last: String { state.withLock(\.last) }

    /// Returns whether the process is still alive to take the step.
    func passes(_ step: @autoclosure () -> String) -> Bool {
        state.withLock { state in
            guard !state.isBurnt else { return false }
            guard state.left > 0 else {
                (state.isBurnt, state.last) = (true, step())
                return false
            }
            state.left -= 1
            return true
        }
    }

    /// Runs a step of a process that may die before or after the step.
    func step<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        guard passes("before \(name)") else { throw Death() }
        let value = try await body()
        guard passes("after \(name)") else { throw Death() }
        return value
    }
}

/// The death of the process. No caller sees this error.
struct Death: Error {}

/// The real store, in a process that may die.
final class MortalStore: TransferStore {
    private let base: SQLiteStore
    private let fuse: Fuse

    init(_ base: SQLiteStore, _ fuse: Fuse) {
        self.base = base
        self.fuse = fuse
    }

    func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        let names = changes.map { "\("\($0)".prefix { $0 != "(" })" }.joined(separator: "+")
        return try await fuse.step("commit of \(names)") { try await base.commit(changes) }
    }

    func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        try await fuse.step("reading the queue") { try await base.recover(receive) }
    }

    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        try await fuse.step("reading transfers") { try await base.transfers(ids) }
    }

    func statistics() async throws -> PersistedStatistics? {
        try await fuse.step("reading statistics") { try await base.statistics() }
    }

    func close() async { await base.close() }
}

/// The files, which survive the death of a process.
final class SimulatedFiles: Sendable {
    private struct State {
        var durable: [TransferID: Int64] = [:]
        var marks: Set<TransferID> = []
        var placings: [TransferID: Int] = [:]
        var faults: [String] = []
    }
    private let state = Mutex(State())

    var faults: [String] { state.withLock(\.faults) }
    func placings(of id: TransferID) -> Int { state.withLock { $0.placings[id] ?? 0 } }
    func hasMark(_ id: TransferID) -> Bool { state.withLock { $0.marks.contains(id) } }

    /// Resumes at an offset that the engine gives. Records a fault if the file has fewer bytes.
    func begin(_ id: TransferID, at offset: Int64) {
        state.withLock { state in
            let there = state.durable[id] ?? 0
            if offset > there { state.faults.append("\(id) was to resume at \(offset) of \(there) bytes") }
        }
    }

    func write(_ id: TransferID, to bytes: Int64) {
        state.withLock { $0.durable[id] = max($0.durable[id] ?? 0, bytes) }
    }

    /// Writes the mark and renames the file to its final name.
    func rename(_ id: TransferID) {
        state.withLock { state in
            state.marks.insert(id)
            state.placings[id, default: 0] += 1
        }
    }

    func discard(_ id: TransferID) {
        state.withLock { state in
            state.marks.remove(id)
            state.durable[id] = nil
        }
    }
}

/// An executor that fetches files of 40 bytes in a process that may die, and keeps the executor's contract.
final class MortalExecutor: TransferExecutor {
    static let size: Int64 = 40
    private let files: SimulatedFiles
    private let fuse: Fuse
    private let running = Mutex<[TransferID: Task<Void, Never>]>([:])

    init(_ files: SimulatedFiles, _ fuse: Fuse) {
        self.files = files
        self.fuse = fuse
    }

    func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        // Reports arrive from another task, even in a process that dies: this test targets the engine alone.
        let task = Task { [files, fuse] in
            guard fuse.passes("before start of \(job.id)") else { return report(.ended(.stopped(job.resume))) }
            report(.ended(await Self.fetch(job, files, fuse, report)))
        }
        running.withLock { $0[job.id] = task }
    }

    private static func fetch(
        _ job: TransferJob, _ files: SimulatedFiles, _ fuse: Fuse, _ report: @Sendable (ExecutorReport) -> Void
    ) async -> ExecutorOutcome {
        let id = job.id
        var resume = job.resume
        let file = CompletedFile(path: "/files/\(id)", bytes: size, modified: 0, validator: nil)
        let whole = ExecutorOutcome.finished(TransferCompletion(status: 200, file: file))
        if files.hasMark(id) { return whole }
        files.begin(id, at: resume?.offset ?? 0)
        var bytes = resume?.offset ?? 0
        while bytes < size {
            await Task.yield()
            guard !Task.isCancelled, fuse.passes("writing of \(id)") else { return .stopped(resume) }
            bytes += 10
            files.write(id, to: bytes)
            resume = ResumePoint(path: "/partial/\(id)", offset: bytes, total: size, validator: nil, bootID: "boot")
            report(.progressed(bytes: bytes, total: size))
            if let resume { report(.checkpointed(resume)) }
        }
        guard fuse.passes("placing of \(id)") else { return .stopped(resume) }
        files.rename(id)
        guard fuse.passes("report of the end of \(id)") else { return .stopped(resume) }
        return whole
    }

    func stop(_ id: TransferID) {
        guard fuse.passes("stop of \(id)") else { return }
        running.withLock { $0[id] }?.cancel()
    }

    func discard(_ job: TransferJob) {
        guard fuse.passes("before discard of \(job.id)") else { return }
        files.discard(job.id)
    }

    func availableSpace(for specification: TransferSpecification) -> Int64? { nil }

    func shutdown() async {
        let tasks = running.withLock { Array($0.values) }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
