// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import ToolSupport
import TransferBus
import TransferEngine
import TransferPolicy
import URLSessionExecutor

/// Taking transfers over.
extension DaemonService {
    func submit(_ requests: [TransferRequest], from caller: BusCaller) async throws -> [TransferID] {
        try checkRoom(for: requests, of: caller.app)
        for request in requests { try await checkUrgency(request.specification.traits.kind, for: caller) }
        let proxies = ProxyRule(explicit: nil)
        let transfers = try requests.enumerated().map { index, request -> NewTransfer in
            do {
                return NewTransfer(try specification(for: request, proxies: proxies, from: caller))
            } catch let error as UsageError {
                let place = requests.count > 1 ? "transfer \(index + 1) of \(requests.count): " : ""
                throw BusFault(.invalidArgument, place + error.description)
            }
        }
        try checkRoom(for: requests, of: caller.app)
        arriving[caller.app, default: 0] += requests.count
        defer { submissionEnded(of: caller.app, count: requests.count) }
        let ids = try await asking { try await engine.submit(transfers) }
        for (id, transfer) in zip(ids, transfers) {
            book.add(id, transfer.specification)
            noteSource(of: id, transfer.specification)
            index.insert(id, app: caller.app, session: transfer.specification.traits.session)
            logger.info(
                "handed over",
                metadata: [
                    "id": "\(id)", "url": "\(TransferSpecification.redacted(url: transfer.specification.url))",
                    "app": "\(caller.app)",
                ])
        }
        return ids
    }

    /// Refuses transfers where their app has as much as it may have. Sandboxes without a name of their own share the limits
    /// of one app, since a program can make as many as it likes.
    private func checkRoom(for requests: [TransferRequest], of app: String) throws {
        let arriving = arriving.reduce(0) {
            $0 + (TransferBook.group(of: $1.key) == TransferBook.group(of: app) ? $1.value : 0)
        }
        let open = book.openCount(of: app) + arriving
        guard open + requests.count <= configuration.openPerApp else {
            throw BusFault(
                .tooManyTransfers,
                "\(app) has \(open) open transfers and may have \(configuration.openPerApp), so that "
                    + "\(requests.count) more are too many; wait for some to end")
        }
        let bytes = requests.reduce(0) { $0 + TransferBook.bookkeepingBytes(of: $1.specification) }
        let most = CallerLimits.bookkeepingBytes
        guard app == BusCaller.person || book.bytes(of: app) + bytes <= most else {
            throw BusFault(
                .limitExceeded,
                "the open transfers of \(app) have \(book.bytes(of: app)) bytes of addresses, header fields and names, and "
                    + "may have \(most): \(bytes) more are too many; wait for some to end")
        }
    }

    private func specification(
        for request: TransferRequest, proxies: ProxyRule, from caller: BusCaller
    ) throws -> TransferSpecification {
        let target = try TransferTarget(request.specification.url, proxies: proxies)
        var specification = request.specification
        specification.url = target.url
        specification.credential = specification.credential ?? target.credential
        specification.traits.host = target.host
        specification.traits.isLoopback = target.isLoopback
        specification.traits.app = caller.app
        if let upload = request.upload {
            do throws(TransferFailure) {
                let source = try UploadSource(
                    fileAt: upload.path, method: upload.method, contentType: upload.contentType,
                    resumption: upload.resumption)
                specification.upload = source
                specification.traits.expectedBytesToSend = source.size
            } catch {
                throw UsageError(error.message)
            }
        } else if specification.destination.directory.isEmpty {
            try PrivateFolder.make(defaultDirectory, called: "the folder for files", remedy: "name a directory")
            specification.destination.directory = defaultDirectory
        }
        return specification
    }
}
