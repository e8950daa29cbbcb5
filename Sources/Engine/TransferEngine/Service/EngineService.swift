// SPDX-License-Identifier: Apache-2.0
package import TransferModel
internal import TransferScheduling

/// The service of an engine in this process.
///
/// The service grants its owner all rights; a daemon adds the rights of its callers on top. Lists and details come
/// from the engine's registry. Without a registry, only submissions, actions, and explanations are useful.
///
/// ```swift
/// let service = EngineService(engine, localTime: .utc)
/// let ids = try await service.submit([TransferRequest(specification)])
/// ```
package struct EngineService: TransferManager {
    let engine: TransferEngine
    /// The rules that determine the local times in sentences.
    package var localTime: LocalTimeRules
    /// The number of unfinished transfers whose wait reasons ``updates()`` reports.
    let explanationLimit: Int

    /// Creates the service of `engine`.
    package init(_ engine: TransferEngine, localTime: LocalTimeRules, explanationLimit: Int = 0) {
        (self.engine, self.localTime, self.explanationLimit) = (engine, localTime, explanationLimit)
    }

    /// Submits transfers, all or none. The specifications name the files to upload.
    ///
    /// - Throws: `RefusedTransferError`, `TransferStoreError`, or `EngineEndedError`.
    package func submit(_ requests: [TransferRequest]) async throws -> [TransferID] {
        try await engine.submit(requests.map { NewTransfer($0.specification, key: $0.key, resume: $0.resume) })
    }

    package func list(_ filter: TransferFilter) async throws -> [TransferStatus] {
        await list(filter) { _ in true }
    }

    /// Returns the transfers that match the filter and belong to reachable apps.
    package func list(_ filter: TransferFilter, reaching: (_ app: String) -> Bool) async -> [TransferStatus] {
        guard let registry = engine.registry else { return [] }
        func isIncluded(_ app: String, _ session: String?) -> Bool {
            reaching(app) && filter.session.map { session == $0 } ?? true && filter.app.map { app == $0 } ?? true
        }
        var rows = registry.unfinished(where: isIncluded)
        let waiting = rows.indices.filter { rows[$0].state == .waiting }
        var rest = waiting.prefix(filter.isExplained ? waiting.count : filter.explainedLimit)
        // Transfers that were submitted together often wait for the same reasons.
        var last: (explanation: Explanation, sentence: String)?
        while !rest.isEmpty {
            let ids = rest.prefix(Self.explanationBatch.transfers).map { rows[$0].id }
            let batch = await engine.explanations(of: ids, limit: Self.explanationBatch.explanations)
            let sentences = batch.distinct.map { explanation in
                let sentence =
                    last.flatMap { $0.explanation == explanation ? $0.sentence : nil }
                    ?? explanation.sentence(localTime: localTime)
                last = (explanation, sentence)
                return sentence
            }
            for (index, explanation) in zip(rest, batch.indices) {
                if let explanation { rows[index].sentence = sentences[explanation] }
            }
            rest = rest.dropFirst(batch.indices.count)
        }
        rows += registry.latestEnded(limit: filter.ended, where: isIncluded)
        return rows
    }

    /// The numbers of transfers and of explanations that the engine handles at a time, between other events.
    private static let explanationBatch = (transfers: 1000, explanations: 100)

    private func sentence(of id: TransferID) async -> String? {
        await engine.explanation(of: id)?.sentence(localTime: localTime)
    }

    private func status(of id: TransferID) throws(TransferStoreError) -> TransferStatus {
        if let status = engine.registry?.status(of: id) { return status }
        throw TransferStoreError(code: .noSuchTransfer, message: "There is no transfer \(id).")
    }

    package func show(_ id: TransferID) async throws -> TransferDetails {
        var details = TransferDetails(try status(of: id))
        guard !details.status.state.isEnded else { return details }
        let specification: TransferSpecification
        do {
            specification = try await engine.loop.specification(of: id)
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            // The transfer has ended in the meantime.
            return TransferDetails(try status(of: id))
        }
        if details.status.state == .waiting { details.status.sentence = await sentence(of: id) }
        details.directory = specification.destination.directory
        details.constraints = ConstraintChange(specification.traits.constraints)
        (details.policy, details.onComplete) = (specification.traits.policy, specification.onComplete)
        return details
    }

    package func explain(_ id: TransferID) async throws -> WaitExplanation {
        guard let explanation = await engine.explanationInTurn(of: id) else {
            let status = try status(of: id)
            return WaitExplanation(sentence: status.error ?? "the transfer is \(status.state.displayName)")
        }
        var result = WaitExplanation(explanation, localTime: localTime)
        if result.reasons.isEmpty {
            result.sentence = (try? status(of: id))?.state == .running ? "running" : "about to start"
        }
        return result
    }

    package func control(_ ids: [TransferID], _ action: ControlAction) async throws {
        switch action {
        case .pause: try await engine.control(ids, .pause)
        case .resume: try await engine.control(ids, .resume)
        case .cancel: try await engine.cancelAwaitingEnd(ids)
        case .startNow:
            try await startNow(ids)
            try await engine.control(ids, .resume)
        }
    }

    /// Starts transfers without waiting for the policy. Transfers that have ended meanwhile do not stop the others.
    private func startNow(_ ids: [TransferID]) async throws {
        var failures: [TransferStoreError] = []
        for id in ids {
            do { try await engine.change(id, .startNow) } catch let error as TransferStoreError
                where error.code == .noSuchTransfer
            { failures.append(error) }
        }
        if let failure = failures.first, failures.count == ids.count { throw failure }
    }

    package func change(_ id: TransferID, _ request: ChangeRequest) async throws {
        try await change(id, request, to: nil)
    }

    /// Changes the requirements of a transfer, and its URL if there is a new location. The URL of the request is ignored.
    package func change(_ id: TransferID, _ request: ChangeRequest, to location: NewLocation?) async throws {
        var change = TransferChange(kind: request.kind, priority: request.priority)
        change.location = location
        if !request.constraints.isEmpty {
            var constraints = try await engine.loop.specification(of: id).traits.constraints
            request.constraints.apply(to: &constraints)
            change.constraints = constraints
        }
        try await engine.change(id, change)
    }
}
