// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Logging
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferSessions

/// What depends on who calls: admitting sandboxes, urgent work, and files for programs that cannot reach them.
extension DaemonService {
    nonisolated var trustedSandboxes: Set<String> { trusted.units }

    func trust(_ unit: String, _ isTrusted: Bool, for caller: BusCaller) async throws {
        guard caller.isPerson else {
            throw BusFault.onlyPerson("admit a sandbox", "apps trust")
        }
        let isUnit = unit.hasSuffix(".service") || unit.hasSuffix(".scope")
        guard isUnit, unit.utf8.count <= 255, !unit.contains("/"), !unit.utf8.contains(where: { $0 < 0x20 }) else {
            throw BusFault(
                .invalidArgument,
                "'\(unit.prefix(40))' is no unit of systemd's such as toolbox.service; 'transferctl apps' shows those of "
                    + "sandboxes after 'sandbox:'. A program without a unit gets one by systemd-run --user --unit=NAME")
        }
        do { try trusted.set(unit, isTrusted: isTrusted) } catch {
            throw BusFault(.storeFailed, "it cannot be saved: \(error.localizedDescription)")
        }
        logger.notice(
            isTrusted ? "a sandbox was admitted" : "a sandbox is no longer admitted", metadata: ["unit": "\(unit)"])
        reclassify?()
    }

    /// Refuses urgent work of an app that no person works with (rule C13).
    func checkUrgency(_ kind: WorkKind?, for caller: BusCaller) async throws {
        guard kind == .userInitiated, !caller.isPerson else { return }
        guard await host.read({ $0.isInFront(caller.app) }) else {
            throw BusFault(
                .accessDenied,
                "'userInitiated' is for what a person waits for, and \(caller.app) is in the background: use 'normal', or "
                    + "let the person start it ('transferctl now')")
        }
    }

    func open(_ id: TransferID, for caller: BusCaller) async throws -> Int32 {
        return try Self.openFile(try await finishedFile(of: id, for: caller))
    }

    func discard(_ id: TransferID, for caller: BusCaller) async throws {
        let path = try await finishedFile(of: id, for: caller)
        guard cachedDownloads.contains(path, of: caller.app) else {
            throw BusFault(
                .invalidArgument, "the file of transfer \(id) is in no folder of the daemon's: remove it yourself")
        }
        guard cachedDownloads.remove(path, of: caller.app) else {
            throw BusFault(.storeFailed, "the file cannot be removed: \(String(cString: strerror(errno)))")
        }
    }

    func openFile(ofEvent number: EventNumber, in key: SessionKey) async throws -> Int32 {
        guard let path = await host.read({ $0.file(ofEvent: number, in: key) }) else {
            throw BusFault(
                .invalidArgument, "event \(number) of the session has no file: it has none, or was acknowledged")
        }
        return try Self.openFile(path)
    }

    /// Opens a finished file for reading; somebody may have put a link or a pipe in its place.
    private static func openFile(_ path: String) throws -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw BusFault(.invalidArgument, "the file cannot be opened: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            throw BusFault(.invalidArgument, "the file is no regular file any more")
        }
        return descriptor
    }

    func tellAgain(_ client: String, in key: SessionKey) async { await host.tellAgain(client, in: key) }

    nonisolated func statuses(of ids: [TransferID], for caller: BusCaller) -> [TransferStatus] {
        ids.compactMap { registry.status(of: $0) }.filter { caller.reaches($0.app) }
    }
}

extension BusFault {
    /// The refusal of what only the person may do.
    static func onlyPerson(_ action: String, _ command: String) -> BusFault {
        BusFault(
            .accessDenied,
            "only the person can \(action): run 'transferctl \(command)', with the transferctl that is installed beside the "
                + "daemon in a folder that others cannot write")
    }
}
