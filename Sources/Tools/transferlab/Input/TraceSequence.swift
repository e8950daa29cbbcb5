// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab

/// A trace that is not read yet.
struct PendingTrace: Sendable {
    /// The name of the trace.
    var device: String
    /// The trace's position in the sequence, from 0.
    var position: Int
    /// Reads or makes the trace. `nil` if the trace is not wanted.
    var load: (@Sendable () throws -> Trace)?
}

/// The traces of a study, one after another. Only the paths are in memory.
struct TraceSequence {
    /// The origin of the traces.
    private enum Source {
        case paths([String])
        case population(Population)
    }

    private let source: Source
    /// The paths to visit, last first.
    private var pending: [String] = []
    private var position = 0
    private var names: Set<StableHash> = []
    /// The traces so far, including those that were not wanted.
    private(set) var passed = DeviceSet()

    private init(_ source: Source) {
        self.source = source
        if case .paths(let paths) = source { pending = paths.reversed() }
    }

    init(_ paths: [String]) { self.init(.paths(paths)) }

    /// Creates the sequence of the traces in a file with one path per line.
    init(listedIn file: String) throws {
        let lines = try LineReader(file)
        var paths: [String] = []
        while let path = try lines.word() { paths.append(path) }
        self.init(paths)
    }

    init(_ population: Population) { self.init(.population(population)) }

    /// Returns the sequence from its start again.
    func restarted() -> TraceSequence { TraceSequence(source) }

    /// The number of traces; `nil` if it is not known in advance.
    var count: Int? { if case .population(let population) = source { population.devices } else { nil } }

    /// Returns the next trace; `nil` at the end. Throws `UsageError` if there is no trace at all.
    ///
    /// - Parameter isWanted: Decides by the position and the name whether the trace is to be read. Of a population, only
    ///   wanted traces are returned.
    mutating func next(where isWanted: (Int, StableHash) -> Bool) throws -> PendingTrace? {
        if case .population(let population) = source { return next(of: population, isWanted) }
        while true {
            guard let path = pending.popLast() else {
                guard position > 0 else { throw UsageError("no trace is given: the list is empty") }
                return nil
            }
            if let trace = try visit(path, isWanted) { return trace }
        }
    }

    /// Returns all traces, in memory.
    func all() throws -> [Trace] {
        var (sequence, traces): (TraceSequence, [Trace]) = (self, [])
        var progress = ProgressReport("traces read", total: count)
        defer { progress.finish() }
        while let trace = try sequence.next(where: { _, _ in true }) {
            if let load = trace.load { traces.append(try load()) }
            progress.advance()
        }
        return traces
    }

    private mutating func next(of population: Population, _ isWanted: (Int, StableHash) -> Bool) -> PendingTrace? {
        while position < population.devices {
            let number = position
            position += 1
            let hash = population.hash(of: number)
            passed.insert(hash)
            guard isWanted(number, hash) else { continue }
            return PendingTrace(device: population.name(of: number), position: number) {
                guard let trace = population.trace(of: number) else { throw UsageError("the population has no days") }
                return trace
            }
        }
        return nil
    }

    /// Returns the trace at a path; `nil` if the path stands for several traces, which are then pending.
    private mutating func visit(_ path: String, _ isWanted: (Int, StableHash) -> Bool) throws -> PendingTrace? {
        try Files.checkPlain(path)
        if let paths = try Files.paths(in: path) {
            pending += paths.reversed()
            return nil
        }
        let device = Self.device(path)
        var trace = try pendingTrace(device)
        if isWanted(trace.position, StableHash(device)) { trace.load = { try Files.trace(path, device: device) } }
        return trace
    }

    private mutating func pendingTrace(_ device: String) throws -> PendingTrace {
        let hash = StableHash(device)
        passed.insert(hash)
        guard names.insert(hash).inserted else {
            throw UsageError("two traces have the name \(device); the names of traces must be unique")
        }
        defer { position += 1 }
        return PendingTrace(device: device, position: position, load: nil)
    }

    /// Returns the name of a trace: that of its file, without folder and extension.
    static func device(_ path: String) -> String {
        path == "-" ? "stdin" : ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    }
}
