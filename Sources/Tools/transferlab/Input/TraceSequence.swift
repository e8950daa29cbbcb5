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

/// The traces of a study, one after another. Only the paths of the current folder are in memory.
struct TraceSequence {
    /// The origin of the traces.
    private enum Source {
        case paths([String])
        case list(String)
        case population(Population)
    }

    private let source: Source
    private var list: ByteStream?
    /// The paths to visit, last first.
    private var pending: [String] = []
    /// The archive that is being read.
    private var archive: TarReader?
    private var position = 0
    private var names: Set<StableHash> = []
    /// The traces so far, including those that were not wanted.
    private(set) var passed = DeviceSet()

    private init(_ source: Source) throws {
        self.source = source
        switch source {
        case .paths(let paths): pending = paths.reversed()
        case .list(let file): list = try ByteStream(file)
        case .population: break
        }
    }

    init(_ paths: [String]) throws { try self.init(.paths(paths)) }

    /// Creates the sequence of the traces in a file with one path per line.
    init(listedIn file: String) throws {
        guard file == "-" else {
            try self.init(.list(file))
            return
        }
        // Standard input can be read only once, but some studies read the names first.
        let stream = try ByteStream(file)
        var paths: [String] = []
        while let path = try stream.word() { paths.append(path) }
        try self.init(.paths(paths))
    }

    init(_ population: Population) throws { try self.init(.population(population)) }

    /// Returns the sequence from its start again.
    func restarted() throws -> TraceSequence { try TraceSequence(source) }

    /// The number of traces; `nil` if it is not known in advance.
    var count: Int? { if case .population(let population) = source { population.devices } else { nil } }

    /// Returns the next trace; `nil` at the end. Throws `UsageError` if there is no trace at all.
    ///
    /// - Parameter isWanted: Decides by the position and the name whether the trace is to be read. Of a population, only
    ///   wanted traces are returned.
    mutating func next(where isWanted: (Int, StableHash) -> Bool) throws -> PendingTrace? {
        if case .population(let population) = source { return next(of: population, isWanted) }
        while true {
            if let trace = try nextInArchive(isWanted) { return trace }
            guard let path = try pending.popLast() ?? list?.word() else {
                guard position > 0 else { throw UsageError("no trace is given: the list or the archive is empty") }
                return nil
            }
            if let trace = try visit(path, isWanted) { return trace }
        }
    }

    /// Returns all traces, in memory.
    func all() throws -> [Trace] {
        var (sequence, traces): (TraceSequence, [Trace]) = (self, [])
        while let trace = try sequence.next(where: { _, _ in true }) {
            if let load = trace.load { traces.append(try load()) }
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

    private mutating func nextInArchive(_ isWanted: (Int, StableHash) -> Bool) throws -> PendingTrace? {
        while let entry = try archive?.next() {
            guard entry.name.hasSuffix(".csv") else { continue }
            let device = Self.device(entry.name)
            var trace = try pendingTrace(device)
            if isWanted(trace.position, StableHash(device)), let bytes = try archive?.content(of: entry) {
                trace.load = { try Trace(csv: bytes, device: device, file: entry.name) }
            }
            return trace
        }
        archive = nil
        return nil
    }

    /// Returns the trace at a path; `nil` if the path stands for several traces, which are then pending.
    private mutating func visit(_ path: String, _ isWanted: (Int, StableHash) -> Bool) throws -> PendingTrace? {
        if path == "-" || Self.isArchive(path) {
            archive = TarReader(try ByteStream(path))
            return nil
        }
        if ByteStream.isURL(path) { return try remoteTrace(path, isWanted) }
        if let paths = try Files.paths(in: path) {
            pending += paths.reversed()
            return nil
        }
        let device = Self.device(path)
        var trace = try pendingTrace(device)
        if isWanted(trace.position, StableHash(device)) { trace.load = { try Files.trace(path, device: device) } }
        return trace
    }

    private mutating func remoteTrace(_ text: String, _ isWanted: (Int, StableHash) -> Bool) throws -> PendingTrace {
        guard let url = URL(string: text), url.host != nil else { throw UsageError("not a URL: '\(text)'") }
        let device = Self.device(url.path)
        var trace = try pendingTrace(device)
        guard isWanted(trace.position, StableHash(device)) else { return trace }
        trace.load = { try Trace(csv: ByteStream(text).read(.max), device: device, file: text) }
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

    private static func isArchive(_ path: String) -> Bool {
        [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"].contains { path.hasSuffix($0) }
    }

    /// Returns the name of a trace: that of its file, without folder and extension.
    static func device(_ path: String) -> String {
        var name = (path as NSString).lastPathComponent as NSString
        if ["gz", "zst"].contains(name.pathExtension) { name = name.deletingPathExtension as NSString }
        return name.deletingPathExtension
    }
}
