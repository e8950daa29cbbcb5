// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel

/// Actions on ended transfers, within the caller's rights.
extension CallerService {
    func retry(_ ids: [TransferID]) async throws -> [TransferID] { try await retry(ids, url: nil) }

    func retry(_ id: TransferID, from url: String) async throws -> TransferID {
        try await retry([id], url: url)[0]
    }

    private func retry(_ ids: [TransferID], url: String?) async throws -> [TransferID] {
        guard !caller.isSandboxed else {
            throw BusFault(.accessDenied, "a sandboxed program passes files and folders again with Submit")
        }
        for id in ids {
            let status = try endedStatus(of: id, for: "retry")
            guard status.state != .finished else {
                throw BusFault(
                    .invalidArgument, "transfer \(id) has finished; to download its file again, submit it again")
            }
            guard status.app == caller.app else {
                throw BusFault(.accessDenied, "transfer \(id) belongs to \(status.app), which can retry it")
            }
        }
        let stored = try await translatingEngineErrors { try await daemon.stored(ids) }
        let requests = try ids.map { id in
            guard let transfer = stored[id] else { throw BusFault(.noSuchTransfer, "no transfer \(id)") }
            return try request(repeating: transfer, url: url)
        }
        return try await submit(requests)
    }

    /// Returns the request of an ended transfer, to be submitted again, with another URL if `url` is not `nil`.
    private func request(repeating transfer: StoredTransfer, url: String?) throws -> TransferRequest {
        var specification = transfer.specification
        if let url {
            // The rest of the URL is examined when it is submitted.
            let location = NewLocation(url: url, credential: nil, host: "", isLoopback: false)
            do { try location.apply(to: &specification) } catch { throw BusFault(.invalidArgument, "\(error)") }
        }
        guard !specification.isIncomplete else {
            let command = "transferctl set \(transfer.id) url=URL"
            let remedy = specification.lacksFields ? "" : "give its URL with '\(command)', or "
            throw BusFault(
                .invalidArgument,
                "the request of transfer \(transfer.id) had a query, header fields, a body, or a login, which the daemon does "
                    + "not keep after the end; \(remedy)submit the request again with 'transferctl add'")
        }
        specification.traits.submitted = daemon.now
        guard let upload = specification.upload else {
            return TransferRequest(specification, resume: transfer.ending?.kept)
        }
        guard upload.origin == nil else {
            throw BusFault(
                .invalidArgument,
                "the daemon does not keep the file of upload \(transfer.id) after the end; submit the upload again")
        }
        var request = TransferRequest(specification)
        request.upload = TransferRequest.Upload(
            path: upload.path, method: upload.method, contentType: upload.contentType, resumption: upload.resumption)
        request.specification.upload = nil
        return request
    }

    /// Returns the requests with the files that earlier transfers of the user finished at the same destinations, so that
    /// they are downloaded again only if they have changed on the server.
    func withFinishedFiles(_ requests: [TransferRequest]) async throws -> [TransferRequest] {
        guard caller.isPerson else { return requests }
        let urls = Set(requests.map { RedactedURL.text(of: $0.specification.url) })
        let earlier = registry.latestEnded(limit: .max) { app, _ in app == caller.app }.filter {
            $0.state == .finished && !$0.isUpload && urls.contains($0.url)
        }
        let stored = try await translatingEngineErrors { try await daemon.stored(earlier.map(\.id)) }
        return requests.map { request in
            var request = request
            request.specification.completedBefore =
                earlier.lazy.compactMap { stored[$0.id]?.finishedFile(for: request.specification) }.first
            return request
        }
    }

    func remove(_ ids: [TransferID]) async throws {
        for id in ids { _ = try endedStatus(of: id, for: "remove") }
        try await translatingEngineErrors { try await daemon.remove(ids) }
    }

    /// Returns the state of an ended transfer that belongs to no session.
    private func endedStatus(of id: TransferID, for action: String) throws -> TransferStatus {
        let status = try status(of: id)
        guard status.state.isEnded else {
            throw BusFault(
                .invalidArgument,
                "cannot \(action) transfer \(id): it has not ended; 'transferctl cancel \(id)' ends it")
        }
        guard status.session == nil else {
            throw BusFault(
                .invalidArgument, "cannot \(action) transfer \(id): it is a task of a session of \(status.app)")
        }
        return status
    }
}

extension StoredTransfer {
    /// Returns the finished file if the transfer made the same request for the same destination.
    ///
    /// Requests with secrets are not kept, and are never the same.
    fileprivate func finishedFile(for new: TransferSpecification) -> CompletedFile? {
        guard case .completed(let completion, _)? = ending, completion.status < 400, !specification.isIncomplete,
            specification.url == new.url, specification.destination.directory == new.destination.directory,
            specification.destination.name == new.destination.name, new.headers.isEmpty, new.credential == nil,
            new.body == nil
        else { return nil }
        return completion.file
    }
}
