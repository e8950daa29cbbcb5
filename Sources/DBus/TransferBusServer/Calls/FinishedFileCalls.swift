// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferBusProtocol
internal import TransferModel

/// The calls that open finished files. A program in a sandbox receives descriptors, because it cannot reach the files
/// by their paths (rule C2).
struct FinishedFileCalls {
    let service: any ExportedService
    let caller: BusCaller

    /// An owner that closes its descriptor when released.
    final class OpenFile: Sendable {
        let number: Int32

        init(taking number: Int32) { self.number = number }

        deinit { close(number) }
    }

    /// Opens the file that a call of `Open` names.
    ///
    /// - Throws: `BusFault`, `UnknownObjectError`, or any error from the service.
    func open(by call: BusCall) async throws -> OpenFile {
        let number = call.arguments.first?.integer ?? -1
        if call.path == TransferBusName.managerPath {
            return OpenFile(taking: try await service.open(TransferID(number), for: caller))
        }
        guard let name = SessionKey(path: call.path) else { throw UnknownObjectError(path: call.path) }
        let key = SessionKey(app: name.app, identifier: name.identifier)
        guard await service.sessions.hasOpen(key, caller.name) else {
            guard caller.reaches(name.app) else { throw UnknownObjectError(path: call.path) }
            throw BusFault(.noSuchSession, "this process does not have the session '\(name.identifier)' open")
        }
        return OpenFile(taking: try await service.sessions.openFile(ofEvent: number, in: key))
    }
}
