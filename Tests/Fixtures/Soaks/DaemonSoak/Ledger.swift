// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// What the daemon has said of its transfers, to hold it to that after each of its deaths.
struct Ledger {
    struct Entry {
        var path: String
        var isUpload: Bool { UploadManner(path: path) != nil }
        /// Its number, once that is known.
        var id: TransferID?
        /// Whether the daemon said that it has it.
        var isAcknowledged = false
        /// Whether somebody asked for its end, and whether the daemon said that this is done.
        var isCancelAsked = false
        var isCancelAcknowledged = false
        /// Whether somebody paused it, and whether the daemon said that this is done.
        var isPauseAsked = false
        var isPauseAcknowledged = false
        /// Whether it waits for a day that nobody here will see.
        var waits = false
        /// How it ended, as first seen.
        var end: TransferStatus.State?
        /// Where its file is, or came from, until it has been looked at.
        var unchecked: String?
    }

    /// By the path at the server: a number is known only after the acknowledgement.
    private(set) var entries: [String: Entry] = [:]
    private(set) var paths: [TransferID: String] = [:]
    /// What was handed over together and not acknowledged, in this life of the daemon.
    private var unanswered: [[String]] = []
    private(set) var faults: [String] = []
    /// How many of those that are over the daemon lists.
    static let mostEnded = 1000

    mutating func fault(_ what: String) { faults.append(what) }

    /// Notes that these are about to be handed over together.
    mutating func plan(_ paths: [String], waits: Bool) {
        for path in paths { entries[path] = Entry(path: path, waits: waits) }
        unanswered.append(paths)
    }

    /// Notes that the daemon said that it has them.
    mutating func acknowledge(_ planned: [String], as ids: [TransferID]) {
        guard planned.count == ids.count else { return fault("\(planned.count) were handed over, \(ids.count) taken") }
        for (path, id) in zip(planned, ids) {
            if let other = paths[id], other != path { fault("\(id) is the number of \(other) and of \(path)") }
            paths[id] = path
            entries[path]?.id = id
            entries[path]?.isAcknowledged = true
        }
        unanswered.removeAll { $0 == planned }
    }

    mutating func change(_ id: TransferID, _ body: (inout Entry) -> Void) {
        guard let path = paths[id], var entry = entries[path] else { return }
        body(&entry)
        entries[path] = entry
    }

    subscript(id: TransferID) -> Entry? { paths[id].flatMap { entries[$0] } }

    /// Those that are not over, as far as is known, in order.
    var open: [TransferID] { paths.filter { entries[$0.value]?.end == nil }.keys.sorted() }

    /// Those that are not known to be over and are not among these.
    func missing(among rows: [TransferStatus]) -> [TransferID] {
        let listed = Set(rows.map(\.id))
        return open.filter { !listed.contains($0) }
    }

    /// Holds a status against what was said before.
    ///
    /// - Returns: the path of one that has just ended.
    mutating func take(_ status: TransferStatus) -> String? {
        let path = paths[status.id] ?? Self.path(of: status.url)
        guard var entry = entries[path] else {
            fault("\(status.id) (\(path)) was never handed over")
            return nil
        }
        if let known = entry.id, known != status.id { fault("\(path) is there twice: \(known) and \(status.id)") }
        if status.isUpload != entry.isUpload { fault("\(status.id) (\(path)) goes the other way") }
        paths[status.id] = path
        entry.id = status.id
        defer { entries[path] = entry }
        if let end = entry.end {
            if status.state != end { fault("\(status.id) (\(path)) was \(end), and is \(status.state)") }
            return nil
        }
        if entry.isCancelAcknowledged, !status.state.isOver {
            fault("\(status.id) (\(path)) was cancelled, acknowledged so, and is \(status.state)")
        }
        if entry.isPauseAcknowledged, status.state == .waiting || status.state == .running {
            fault("\(status.id) (\(path)) was paused, acknowledged so, and is \(status.state)")
        }
        guard status.state.isOver else { return nil }
        entry.end = status.state
        switch status.state {
        case .finished:
            entry.unchecked = status.path
            if status.path == nil { fault("\(status.id) (\(path)) finished without a file") }
        case .cancelled: if !entry.isCancelAsked { fault("\(status.id) (\(path)) was cancelled by nobody") }
        default: fault("\(status.id) (\(path)) is \(status.state): \(status.error ?? "")")
        }
        return path
    }

    /// Holds the list of all that are not known to be over against what was said before.
    mutating func take(all rows: [TransferStatus]) -> [String] {
        for id in missing(among: rows) {
            fault("\(id) (\(paths[id] ?? "")) was acknowledged, and is lost")
        }
        let over = rows.compactMap { take($0) }
        for batch in unanswered {
            let there = batch.filter { entries[$0]?.id != nil }
            if !there.isEmpty, there.count < batch.count { fault("of \(batch) only \(there) were taken") }
        }
        unanswered = []
        return over
    }

    /// The files that nobody has looked at, by their paths at the server.
    mutating func takeUnchecked() -> [(path: String, file: String)] {
        let found = entries.values.compactMap { entry in entry.unchecked.map { (entry.path, $0) } }
        for (path, _) in found { entries[path]?.unchecked = nil }
        return found.sorted { $0.0 < $1.0 }
    }

    private static func path(of url: String) -> String {
        "/" + (url.split(separator: "/", maxSplits: 2).last.map(String.init) ?? "")
    }

    /// How the uploads ended, or the downloads.
    func counts(uploads: Bool) -> String {
        let ends = entries.values.filter { $0.isUpload == uploads }
            .reduce(into: [:]) { $0[$1.end?.rawValue ?? "open", default: 0] += 1 }
        return ends.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
