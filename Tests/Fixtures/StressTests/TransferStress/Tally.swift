// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Logging
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy

/// The results of a stress test so far.
final class Tally: Sendable {
    private struct State: Sendable {
        var files = 0
        var bytes = 0
        var kills = 0
        var losses = 0
        var ends: [String: Int] = [:]
        var logged: [String: Int] = [:]
        var faults: [String] = []
        var samples: [Memory.Sample] = []
    }
    private let state = Mutex(State())

    var isRight: Bool { state.withLock { $0.faults.isEmpty } }
    var faults: [String] { state.withLock { $0.faults } }
    var kills: Int { state.withLock { $0.kills } }
    var samples: [Memory.Sample] { state.withLock { $0.samples } }

    func fault(_ what: String) { state.withLock { $0.faults.append(what) } }
    func countKill() { state.withLock { $0.kills += 1 } }
    func countLoss() { state.withLock { $0.losses += 1 } }
    func countLog(_ line: String) { state.withLock { $0.logged[line, default: 0] += 1 } }
    func add(_ sample: Memory.Sample) { state.withLock { $0.samples.append(sample) } }
    func countFile(bytes: Int) {
        state.withLock { state in
            state.files += 1
            state.bytes += bytes
        }
    }

    func count(attempt outcome: ExecutorOutcome) {
        let name =
            switch outcome {
            case .finished(let completion): "finished \(completion.status)"
            case .stopped: "stopped"
            case .storageLow: "storage low"
            case .challenged: "challenged"
            case .failed(let failure, _): failure.cause.code
            }
        state.withLock { $0.ends[name, default: 0] += 1 }
    }

    /// A readable summary with one line per subject.
    var summary: String {
        state.withLock { state in
            func list(_ counts: [String: Int]) -> String {
                counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) × \($0.key)" }
                    .joined(separator: ", ")
            }
            let memory = state.samples.map(\.kilobytes).max().map { "\($0 / 1024) MB" } ?? "not measured"
            return """
                \(state.files) files correct, \(state.bytes >> 20) MiB; \(state.kills) workers killed; \
                \(state.losses) attempts lost progress
                attempts: \(list(state.ends))
                log: \(list(state.logged))
                peak memory of all processes: \(memory)
                """
        }
    }
}

/// A log handler that counts log messages.
struct CountingLog: LogHandler {
    let tally: Tally
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        tally.countLog("\(event.message)")
        // Every order and every message in this test is valid.
        if let fault = event.metadata?["fault"] { tally.fault("invalid message: \(fault)") }
        if "\(event.message)".contains("exited with status 3") {
            tally.fault("a worker received an invalid order")
        }
    }
}

/// Measurements of the resources that processes use.
enum Memory {
    struct Sample: Sendable {
        /// The proportional set size (PSS) of all processes.
        var kilobytes: Int
        /// The anonymous memory of all processes. The PSS grows by itself if other programs that share libraries end.
        var ownKilobytes: Int
        /// The open files and the threads of the parent process.
        var files: Int
        var threads: Int
    }

    static func sample(_ parent: Int32, _ workers: [Int32]) -> Sample {
        let sizes = ([parent] + workers).map(sizes)
        return Sample(
            kilobytes: sizes.map(\.proportional).reduce(0, +), ownKilobytes: sizes.map(\.own).reduce(0, +),
            files: entries("/proc/\(parent)/fd"), threads: entries("/proc/\(parent)/task"))
    }

    private static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
    }

    private static func sizes(_ process: Int32) -> (proportional: Int, own: Int) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8) else {
            return (0, 0)
        }
        func size(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        return (size("Pss"), size("Anonymous"))
    }

    /// The minimum number of samples for a verdict on memory. One sample is taken per second.
    ///
    /// Momentary use varies by half, and a quarter of fewer samples has no reliable median.
    private static let fewestForMemory = 80

    /// Returns a sentence for each resource that grew from the second to the last quarter of the samples.
    ///
    /// Returns nothing for fewer than 40 samples.
    static func growth(_ samples: [Sample]) -> [String] {
        guard samples.count >= 40 else { return [] }
        func median(_ window: ArraySlice<Sample>, _ value: (Sample) -> Int) -> Int {
            let sorted = window.map(value).sorted()
            return sorted[sorted.count / 2]
        }
        let quarter = samples.count / 4
        let (early, late) = (samples[quarter..<2 * quarter], samples[(3 * quarter)...])
        var measures: [(String, (Sample) -> Int, Int)] = [("open files", \.files, 16), ("threads", \.threads, 16)]
        if samples.count >= fewestForMemory { measures.append(("memory (KiB)", \.ownKilobytes, 8192)) }
        return measures.compactMap { name, value, slack in
            let (before, after) = (median(early, value), median(late, value))
            return after > before + before / 10 + slack ? "\(name) grew from \(before) to \(after)" : nil
        }
    }
}
