// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel

/// The counts, bytes, and times of a command's transfers, for the total line, the average rates, and the summary.
///
/// An update costs the same however many transfers there are.
struct TransferTally: Sendable {
    private struct Progress {
        var bytes: Int64
        var total: Int64?
        var rate: Int64 = 0
        /// The time of the first attempt of this run.
        var begun: WallTime?
        /// The number of bytes that arrived during this run.
        var received: Int64 = 0
        /// The bytes of earlier runs, until the server's first response decides about them.
        var kept: Int64?
    }

    /// The number of transfers of the command.
    let count: Int
    private(set) var finished = 0
    private(set) var failed = 0
    private(set) var canceled = 0
    private var alreadyComplete = 0
    /// The first transfers that failed: their names and the errors.
    private var failures: [(url: String, error: String)] = []
    /// The number of failed transfers that the summary names.
    private static let namedFailures = 20
    private var progress: [TransferID: Progress] = [:]
    private var bytes: Int64 = 0
    private var total: Int64 = 0
    /// The number of transfers with a known size.
    private var sizes = 0
    private var rate: Int64 = 0
    private var received: Int64 = 0
    private var begun: WallTime?
    private var latest: WallTime?

    /// Creates a tally of `count` transfers.
    init(count: Int) { self.count = count }

    /// The number of transfers that have ended.
    var ended: Int { finished + failed + canceled }

    /// Records an event.
    ///
    /// - Returns: A sentence about the bytes of earlier attempts, at the first response of a resumed attempt.
    mutating func record(_ status: TransferStatus, _ event: TransferEvent) -> String? {
        latest = event.time
        var row = progress[status.id] ?? Progress(bytes: status.bytes, total: nil)
        if progress[status.id] == nil { bytes += status.bytes }
        var notice: String?
        switch event.kind {
        case .started:
            row.begun = row.begun ?? event.time
            begun = begun ?? event.time
            row.kept = status.bytes > 0 ? status.bytes : nil
        case .progressed:
            notice = row.kept.map {
                status.bytes >= $0
                    ? "resumed at \(Formatting.bytes($0))" : RestartCause.notResumable.sentence
            }
            row.kept = nil
        case .restarted, .waiting, .stopped, .retrying: row.kept = nil
        // A deadline changes no numbers.
        case .deadline: break
        case .ended(let completion): end(status, completion, &row)
        }
        let wasComplete: Bool
        if case .ended(let completion?) = event.kind {
            wasComplete = completion.wasAlreadyComplete
        } else {
            wasComplete = false
        }
        let new = wasComplete ? 0 : max(0, status.bytes - row.bytes)
        (row.received, received) = (row.received + new, received + new)
        bytes += status.bytes - row.bytes
        // The rest of a transfer that has ended will never arrive.
        setTotal(status.state.isEnded ? status.bytes : status.total, &row)
        rate += (status.rate ?? 0) - row.rate
        (row.bytes, row.rate) = (status.bytes, status.rate ?? 0)
        progress[status.id] = row
        return notice
    }

    private mutating func end(_ status: TransferStatus, _ completion: TransferCompletion?, _ row: inout Progress) {
        row.kept = nil
        switch status.state {
        case .finished:
            finished += 1
            if completion?.wasAlreadyComplete == true { alreadyComplete += 1 }
        case .cancelled: canceled += 1
        case .waiting, .running, .paused, .failed:
            failed += 1
            guard failures.count < Self.namedFailures else { return }
            let error = status.error ?? completion.map { TransferText.finished($0) } ?? ""
            failures.append((status.url, error))
        }
    }

    private mutating func setTotal(_ new: Int64?, _ row: inout Progress) {
        total += (new ?? 0) - (row.total ?? 0)
        sizes += (new == nil ? 0 : 1) - (row.total == nil ? 0 : 1)
        row.total = new
    }

    /// The elapsed time and the average rate of a transfer in this run, or `nil` if the transfer took less than a
    /// second, in which a rate says little.
    func pace(of id: TransferID) -> TransferPace? {
        guard let row = progress[id], let begun = row.begun, let latest else { return nil }
        return TransferPace(received: row.received, from: begun, to: latest)
    }

    /// A line about all transfers together: the finished and failed ones, the bytes, the rate, and the time left.
    var line: String {
        var parts = ["\(finished) of \(count) done" + (failed > 0 ? ", \(failed) failed" : "")]
        let isKnown = sizes == count && total > 0
        parts.append(
            isKnown
                ? "\(min(100, bytes * 100 / total)) % of \(Formatting.bytes(total))" : Formatting.bytes(bytes))
        if rate > 0 {
            parts.append("\(Formatting.bytes(rate))/s")
            if isKnown { parts.append("ETA \(Formatting.span(max(0, total - bytes) / rate))") }
        }
        return parts.joined(separator: "  ")
    }

    /// The summary as the fields of a JSON object. `elapsed` and `averageRate` are missing for less than a second.
    var fields: [String: Any] {
        var fields: [String: Any] = [
            "finished": finished, "alreadyComplete": alreadyComplete, "failed": failed, "cancelled": canceled,
            "unfinished": count - ended, "bytes": received, "failedURLs": failures.map(\.url),
        ]
        guard let begun, let latest else { return fields }
        fields["time"] = Formatting.rfc3339(latest)
        guard let pace = TransferPace(received: received, from: begun, to: latest) else { return fields }
        fields["elapsed"] = Double(pace.milliseconds) / 1000
        fields["averageRate"] = pace.rate
        return fields
    }

    /// A closing sentence: `57 done, 3 failed; 1.20 GB in 3:02, 6.59 MB/s on average`, and a line for each failure.
    var summary: String {
        let hidden = failed - failures.count
        return
            ([counts] + failures.map { "  failed: \($0.url)\($0.error.isEmpty ? "" : ": \($0.error)")" }
            + (hidden > 0 ? ["  … and \(hidden) more"] : [])).joined(separator: "\n")
    }

    private var counts: String {
        var parts = ["\(finished) done" + (alreadyComplete > 0 ? " (\(alreadyComplete) already complete)" : "")]
        if failed > 0 { parts.append("\(failed) failed") }
        if canceled > 0 { parts.append("\(canceled) canceled") }
        if ended < count { parts.append("\(count - ended) not finished") }
        let counts = parts.joined(separator: ", ")
        guard received > 0, let begun, let latest else { return counts }
        return "\(counts); \(Formatting.bytes(received))"
            + (TransferPace(received: received, from: begun, to: latest)?.text ?? "")
    }
}

/// The elapsed time and the average rate of a transfer or of several.
struct TransferPace: Hashable, Sendable {
    /// The elapsed time in milliseconds.
    let milliseconds: Int64
    /// The average rate in bytes per second.
    let rate: Int64

    /// Creates the pace of `received` bytes. Returns `nil` for less than a second, in which a rate says little.
    init?(received: Int64, from start: WallTime, to end: WallTime) {
        milliseconds = (end.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch) / 1_000_000
        guard milliseconds >= 1000 else { return nil }
        rate = Int64(Double(received) / (Double(milliseconds) / 1000))
    }

    /// The pace as the end of a sentence: ` in 0:12, 1.50 MB/s on average`.
    var text: String { " in \(Formatting.span(milliseconds / 1000)), \(Formatting.bytes(rate))/s on average" }
}
