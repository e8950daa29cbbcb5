// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import HTTPExecutor
internal import SQLiteStore
internal import TransferEngine
internal import TransferModel

/// The submissions of transfers without sessions. Calls with the same key run one after another, so that two callers
/// receive one transfer.
actor TransferSubmissions {
    private let engine: TransferEngine
    private let store: SQLiteStore
    private let app: String
    private let proxies = ProxyRule(explicit: nil)
    private var current: [String: Task<TransferID, any Error>] = [:]

    init(engine: TransferEngine, store: SQLiteStore, app: String) {
        (self.engine, self.store, self.app) = (engine, store, app)
    }

    /// Submits transfers, all or none.
    nonisolated func submit(_ specifications: [TransferSpecification]) async throws -> [TransferID] {
        try await engine.submit(specifications.map { NewTransfer(completed($0)) })
    }

    /// Submits a transfer, or returns the transfer that already has the key.
    func submit(_ specification: TransferSpecification, key: String) async throws -> TransferID {
        // No transfer of a session has a key of this form. The engine refuses an empty key.
        let stored = key.isEmpty ? key : "service " + key
        return try await inTurn(stored) { [self] in try await join(specification, key: key, stored: stored) }
    }

    /// Submits the download of a version of a file, or returns the transfer that has downloaded or downloads it.
    func keep(_ file: String, as specification: TransferSpecification, version: String) async throws -> TransferID {
        // The length separates the name of the file from its version.
        let prefix = "kept \(file.utf8.count) \(file) "
        return try await inTurn(prefix) { [self] in
            if let known = try await store.latest(forKeyPrefix: prefix) {
                let isSame = known.key == prefix + version && Self.hasURL(known, of: specification)
                if isSame, Self.isJoinable(known) { return known.id }
                // The other version would replace the file of this one later.
                if known.ending == nil { _ = try await engine.cancelAwaitingEnd([known.id]) }
            }
            return try await engine.submit(completed(specification), key: prefix + version)
        }
    }

    /// Carries out an operation after the earlier operations for the key.
    private func inTurn(
        _ key: String, _ body: @escaping @Sendable () async throws -> TransferID
    ) async throws -> TransferID {
        while let earlier = current[key] { _ = await earlier.result }
        let task = Task { try await body() }
        current[key] = task
        defer { current[key] = nil }
        return try await task.value
    }

    private nonisolated func join(
        _ specification: TransferSpecification, key: String, stored: String
    ) async throws -> TransferID {
        guard let known = try await store.latest(forKey: stored), Self.isJoinable(known) else {
            return try await engine.submit(completed(specification), key: stored)
        }
        guard Self.hasURL(known, of: specification) else { throw TransferServiceError.keyInUse(key, by: known.id) }
        return known.id
    }

    private static func hasURL(_ known: StoredTransfer, of specification: TransferSpecification) -> Bool {
        // The store removes the query of an ended transfer, which may contain a secret.
        let url = known.ending == nil ? specification.url : RedactedURL.text(of: specification.url)
        return known.specification.url == url
    }

    /// Returns the specification with the service's app, and with the server marked if it is on this machine.
    private nonisolated func completed(_ specification: TransferSpecification) -> TransferSpecification {
        var copy = specification
        copy.traits.app = app
        if let server = TransferSpecification.Server(copy.url) {
            copy.traits.isLoopback = LoopbackHost.contains(
                server.host, unlessProxied: proxies.applies(scheme: server.scheme, host: server.host))
        }
        return copy
    }

    /// Whether a repeated call returns the transfer: it is unfinished, or its result still exists.
    private static func isJoinable(_ transfer: StoredTransfer) -> Bool {
        switch transfer.ending {
        case nil: true
        case .completed(let completion, _)?:
            !completion.isFailure
                && completion.file.map { FileManager.default.fileExists(atPath: $0.path) } ?? true
        case .failed?, .cancelled?: false
        }
    }
}
