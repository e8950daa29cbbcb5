// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Synchronization
import ToolSupport
import TransferEngine
import TransferModel

/// The downloads of all callers: adds, lists, and controls transfers of the daemon.
///
/// The daemon keeps the transfers, and gives this service access to those of its own app only. What the daemon does not
/// tell, such as the options of a download, is remembered until this process ends.
actor DownloadService {
    /// The daemon, with the rights of this server.
    typealias Manager = WatchedTransferManager

    /// The settings that concern downloads.
    struct Settings: Sendable {
        /// The folder of all downloads.
        var folder: DownloadFolder
        /// The kind of work of a download that names none.
        var kind = WorkKind.discretionary
    }

    /// The maximum number of ended downloads in lists, as in aria2 (`--max-download-result`).
    static let maximumResults = 1000
    /// The maximum number of URLs of a file, and of files in a Metalink document.
    static let maximumCount = 1000
    /// The maximum number of downloads whose details are remembered.
    private static let maximumDetails = 20_000

    let manager: any Manager
    let ended: any EndedTransferManager
    let settings: Settings
    /// The defaults of new downloads, from `changeGlobalOption`.
    var defaults = DownloadOptions()
    private var details: [TransferID: DownloadReport.Details] = [:]

    /// Creates a service.
    init(_ manager: any Manager, ended: any EndedTransferManager, settings: Settings) {
        (self.manager, self.ended, self.settings) = (manager, ended, settings)
    }

    // MARK: Adding

    /// Adds a download.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the file, in the order in which they are tried.
    ///   - position: The index in the list of waiting downloads; `nil` for the end.
    /// - Returns: The download.
    /// - Throws: `RPCFault`, or an error of the daemon.
    func add(_ urls: [String], _ options: DownloadOptions, at position: Int?) async throws -> TransferID {
        for url in urls { try Self.refuseTorrent(url) }
        var specification = try specification(urls, options)
        try options.completed(by: defaults).apply(to: &specification)
        return try await submit([specification], options, at: position)[0]
    }

    /// Adds the files of a Metalink document, each as a download of its own.
    func add(metalink text: String, _ options: DownloadOptions, at position: Int?) async throws -> [TransferID] {
        let set: FileSet
        do {
            set = try FileSet(metalink: text, name: "metalink", from: "the Metalink document")
        } catch let error as UsageError {
            throw RPCFault(error.description)
        }
        guard set.files.count <= Self.maximumCount else {
            throw RPCFault("the Metalink document names more than \(Self.maximumCount) files")
        }
        let specifications = try set.files.map { file in
            var specification = try specification(file.urls, options, name: file.path)
            try options.completed(by: defaults).apply(to: &specification)
            specification.checksum = file.checksum
            specification.traits.expectedBytesToReceive = file.size
            return specification
        }
        return try await submit(specifications, options, at: position)
    }

    private func specification(
        _ urls: [String], _ own: DownloadOptions, name: String? = nil
    ) throws -> TransferSpecification {
        let options = own.completed(by: defaults)
        guard let url = urls.first else { throw RPCFault("no URI: the first parameter must list at least one") }
        var parts = try DownloadFolder.parts(of: (name ?? options.texts["out"] ?? "")[...], "out")
        let fileName = parts.popLast().map(String.init)
        guard options.texts["out"]?.hasPrefix("/") != true else {
            throw RPCFault("'out' must be relative to 'dir'")
        }
        let folder = try settings.folder.folder(options.texts["dir"], subfolders: parts)
        var specification = TransferSpecification(
            url: url, destination: Destination(directory: folder, name: fileName, collision: .rename))
        specification.mirrors = urls.count > 1 ? MirrorList(Array(urls.dropFirst())) : nil
        specification.traits.kind = try options.kind ?? settings.kind
        return specification
    }

    private func submit(
        _ specifications: [TransferSpecification], _ options: DownloadOptions, at position: Int?
    ) async throws -> [TransferID] {
        let isPaused = try options.isPaused
        var specifications = specifications
        if isPaused {
            // A download must not start before it is paused. If this program ends in between, it starts a day later.
            for index in specifications.indices {
                specifications[index].traits.constraints.notBefore = NotBeforeConstraint(Self.tomorrow)
            }
        }
        let ids = try await manager.submit(specifications.map { TransferRequest($0) })
        for (id, specification) in zip(ids, specifications) {
            let urls = [specification.url] + (specification.mirrors?.urls ?? [])
            remember(
                DownloadReport.Details(
                    directory: specification.destination.directory, urls: urls.map(RedactedURL.text(of:)),
                    options: options), of: id)
        }
        if isPaused {
            try await manager.control(ids, .pause)
            var change = ChangeRequest()
            change.constraints.removed = [.notBefore]
            for id in ids { try await manager.change(id, change) }
        }
        if let position {
            for (offset, id) in ids.enumerated() {
                _ = try await move(id, by: position + offset, from: .start)
            }
        }
        return ids
    }

    private static var tomorrow: WallTime {
        WallTime(secondsSinceEpoch: Int64(Date().timeIntervalSince1970) + 86_400)
    }

    /// Refuses what aria2 downloads and the engine does not.
    private static func refuseTorrent(_ url: String) throws(RPCFault) {
        if url.lowercased().hasPrefix("magnet:") {
            throw RPCFault(
                "BitTorrent is not supported: '\(url.prefix(60))' is a magnet link; use an http or https URL")
        }
    }

    // MARK: Lists

    /// Returns the downloads of one or more states, in aria2's order.
    func downloads(_ states: Set<TransferStatus.State>) async throws -> [TransferStatus] {
        try await all().filter { states.contains($0.state) }
    }

    /// Returns all downloads: the unfinished in the order of their start, then the ended, latest first.
    func all() async throws -> [TransferStatus] {
        var filter = TransferFilter()
        (filter.ended, filter.isExplained) = (Self.maximumResults, true)
        let listed = try await manager.list(filter).filter { !$0.isUpload }
        return DownloadOrder.sorted(listed.filter { !$0.state.isEnded }) + listed.filter(\.state.isEnded)
    }

    /// Returns a download.
    ///
    /// - Throws: `RPCFault` if there is none with that GID.
    func download(_ gid: String) async throws -> TransferStatus {
        let id = try DownloadGID.transfer(gid)
        // One list instead of the details of one transfer, because only lists contain the reason of ended ones.
        guard let found = try await all().first(where: { $0.id == id }) else {
            throw RPCFault("No such download for GID#\(gid)")
        }
        return found
    }

    /// Returns the report of a download.
    func report(_ status: TransferStatus) async -> DownloadReport {
        if let known = details[status.id] { return DownloadReport(status: status, details: known) }
        let shown = status.state.isEnded ? nil : try? await manager.show(status.id)
        let found = DownloadReport.Details(
            directory: shown?.directory ?? settings.folder.path, urls: [status.url])
        // The details of an unfinished transfer are complete, and do not change.
        if shown != nil { remember(found, of: status.id) }
        return DownloadReport(status: status, details: found)
    }

    private func remember(_ found: DownloadReport.Details, of id: TransferID) {
        if details.count >= Self.maximumDetails, let oldest = details.keys.min() { details[oldest] = nil }
        details[id] = found
    }

    // MARK: Control

    /// Pauses, resumes, or cancels a download.
    func control(_ gid: String, _ action: ControlAction) async throws {
        let status = try await download(gid)
        guard !status.state.isEnded else { throw RPCFault("GID#\(gid) has already ended") }
        if action == .pause, status.state == .paused { throw RPCFault("GID#\(gid) is already paused") }
        if action == .resume, status.state != .paused { throw RPCFault("GID#\(gid) is not paused") }
        try await manager.control([status.id], action)
    }

    /// Pauses or resumes all downloads.
    func controlAll(_ action: ControlAction) async throws {
        let states: Set<TransferStatus.State> = action == .pause ? [.waiting, .running] : [.paused]
        let ids = try await downloads(states).map(\.id)
        if !ids.isEmpty { try await manager.control(ids, action) }
    }

    /// Removes an ended download from lists. Its file stays.
    func removeResult(_ gid: String) async throws {
        let status = try await download(gid)
        guard status.state.isEnded else { throw RPCFault("GID#\(gid) has not ended; remove it first") }
        try await ended.remove([status.id])
        details[status.id] = nil
    }

    /// Removes all ended downloads from lists. Their files stay.
    func removeResults() async throws {
        let ids = try await all().filter(\.state.isEnded).map(\.id)
        if !ids.isEmpty { try await ended.remove(ids) }
        for id in ids { details[id] = nil }
    }

    /// Moves a download in the list of waiting downloads, and returns its new index.
    func move(_ id: TransferID, by position: Int, from origin: DownloadOrder.Origin) async throws -> Int {
        let waiting = try await downloads([.waiting, .paused])
        guard let index = waiting.firstIndex(where: { $0.id == id }) else {
            throw RPCFault("GID#\(DownloadGID.text(id)) does not wait")
        }
        let target = DownloadOrder.target(of: index, by: position, from: origin, count: waiting.count)
        guard let priorities = DownloadOrder.priorities(moving: index, to: target, in: waiting) else {
            throw RPCFault("more than 1,001 downloads wait, which is too many to order them all")
        }
        for (id, priority) in priorities {
            var change = ChangeRequest()
            change.priority = priority
            try await manager.change(id, change)
        }
        return target
    }

    /// Changes a download that has not ended.
    func change(_ gid: String, _ options: DownloadOptions) async throws {
        let status = try await download(gid)
        guard !status.state.isEnded else { throw RPCFault("GID#\(gid) has already ended") }
        let changeable: Set = ["transferd.kind", "transferd.priority"]
        guard options.headers == nil,
            let other = options.texts.keys.sorted().first(where: { !changeable.contains($0) })
        else {
            guard options.headers == nil else { throw Self.unchangeable("header") }
            var specification = TransferSpecification(url: "", destination: Destination(directory: "", name: nil))
            try options.apply(to: &specification)
            var change = ChangeRequest()
            change.kind = try options.kind
            if options.texts["transferd.priority"] != nil { change.priority = specification.traits.priority }
            return try await manager.change(status.id, change)
        }
        throw Self.unchangeable(other)
    }

    private static func unchangeable(_ option: String) -> RPCFault {
        RPCFault("the option '\(option)' cannot be changed later; remove the download, and add it again")
    }

    /// Sets the defaults of new downloads.
    func changeDefaults(_ options: DownloadOptions) throws {
        var specification = TransferSpecification(url: "", destination: Destination(directory: "", name: nil))
        let new = options.completed(by: defaults)
        try new.apply(to: &specification)
        _ = try settings.folder.folder(new.texts["dir"])
        defaults = new
    }
}
