// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// A record of the daemon's statements about its transfers. After each restart, the daemon must agree with them.
struct ExpectedTransfers {
    struct Entry {
        var path: String
        var isUpload: Bool { UploadProtocol(path: path) != nil }
        /// The id of the transfer, if it is known.
        var id: TransferID?
        /// A Boolean value that indicates whether the daemon acknowledged the submission.
        var isAcknowledged = false
        /// A Boolean value that indicates whether a cancellation was requested.
        var isCancelRequested = false
        var isCancelAcknowledged = false
        /// A Boolean value that indicates whether a pause was requested.
        var isPauseRequested = false
        var isPauseAcknowledged = false
        /// A Boolean value that indicates whether the transfer waits for a date far in the future.
        var waits = false
        /// The final state of the transfer, as first observed.
        var end: TransferStatus.State?
        /// The path of the downloaded or uploaded file, until the file has been checked.
        var unchecked: String?
    }

    /// The entries by path at the server, because the id is known only after the acknowledgment.
    private(set) var entries: [String: Entry] = [:]
    private(set) var paths: [TransferID: String] = [:]
    /// The batches that were submitted to the running daemon and not acknowledged.
    private var unanswered: [[String]] = []
    private(set) var faults: [String] = []
    /// The maximum number of ended transfers that the daemon lists.
    static let maximumEnded = 1000

    mutating func fault(_ what: String) { faults.append(what) }

    /// Records that these transfers are about to be submitted in one call.
    mutating func plan(_ paths: [String], waits: Bool) {
        for path in paths { entries[path] = Entry(path: path, waits: waits) }
        unanswered.append(paths)
    }

    /// Records that the daemon acknowledged these transfers.
    mutating func acknowledge(_ planned: [String], as ids: [TransferID]) {
        guard planned.count == ids.count else { return fault("submitted \(planned.count), accepted \(ids.count)") }
        for (path, id) in zip(planned, ids) {
            if let other = paths[id], other != path { fault("ID \(id) belongs to both \(other) and \(path)") }
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

    /// The ids of the transfers that are not known to have ended, in order.
    var open: [TransferID] { paths.filter { entries[$0.value]?.end == nil }.keys.sorted() }

    /// Returns the transfers that are not known to have ended and are not in the list.
    func missing(among rows: [TransferStatus]) -> [TransferID] {
        let listed = Set(rows.map(\.id))
        return open.filter { !listed.contains($0) }
    }

    /// Compares a status with the daemon's earlier statements.
    ///
    /// - Returns: The path of a transfer that has just ended, or `nil`.
    mutating func reconcile(_ status: TransferStatus) -> String? {
        let path = paths[status.id] ?? Self.path(of: status.url)
        guard var entry = entries[path] else {
            fault("\(status.id) (\(path)) was never submitted")
            return nil
        }
        if let known = entry.id, known != status.id { fault("\(path) is listed twice: as \(known) and \(status.id)") }
        if status.isUpload != entry.isUpload { fault("\(status.id) (\(path)) has the wrong direction") }
        paths[status.id] = path
        entry.id = status.id
        defer { entries[path] = entry }
        if let end = entry.end {
            if status.state != end { fault("\(status.id) (\(path)) changed from \(end) to \(status.state)") }
            return nil
        }
        if entry.isCancelAcknowledged, !status.state.isEnded {
            fault("\(status.id) (\(path)) is \(status.state) after an acknowledged cancellation")
        }
        if entry.isPauseAcknowledged, status.state == .waiting || status.state == .running {
            fault("\(status.id) (\(path)) is \(status.state) after an acknowledged pause")
        }
        guard status.state.isEnded else { return nil }
        entry.end = status.state
        switch status.state {
        case .finished:
            entry.unchecked = status.path
            if status.path == nil { fault("\(status.id) (\(path)) finished without a file") }
        case .cancelled: if !entry.isCancelRequested { fault("\(status.id) (\(path)) was canceled without a request") }
        default: fault("\(status.id) (\(path)) is \(status.state): \(status.error ?? "")")
        }
        return path
    }

    /// Compares the complete list with the daemon's earlier statements, and reports lost
    /// transfers and partial batches.
    ///
    /// - Returns: The paths of the transfers that have just ended.
    mutating func reconcile(all rows: [TransferStatus]) -> [String] {
        for id in missing(among: rows) {
            fault("\(id) (\(paths[id] ?? "")) was acknowledged and then lost")
        }
        let ended = rows.compactMap { reconcile($0) }
        for batch in unanswered {
            let accepted = batch.filter { entries[$0]?.id != nil }
            if !accepted.isEmpty, accepted.count < batch.count {
                fault("only \(accepted) of the batch \(batch) were accepted")
            }
        }
        unanswered = []
        return ended
    }

    /// Returns the finished files that have not been checked, with their paths at the server.
    mutating func removeUnchecked() -> [(path: String, file: String)] {
        let found = entries.values.compactMap { entry in entry.unchecked.map { (entry.path, $0) } }
        for (path, _) in found { entries[path]?.unchecked = nil }
        return found.sorted { $0.0 < $1.0 }
    }

    private static func path(of url: String) -> String {
        "/" + (url.split(separator: "/", maxSplits: 2).last.map(String.init) ?? "")
    }

    /// Returns the number of uploads or downloads in each final state.
    func counts(uploads: Bool) -> String {
        let ends = entries.values.filter { $0.isUpload == uploads }
            .reduce(into: [:]) { $0[$1.end?.rawValue ?? "open", default: 0] += 1 }
        return ends.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
