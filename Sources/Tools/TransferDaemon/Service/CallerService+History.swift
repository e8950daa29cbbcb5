// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy

/// The history of ended transfers and of the machine's conditions.
extension CallerService {
    func history(since start: WallTime, from position: String?) async throws -> HistoryPage {
        guard let history = await daemon.history else {
            throw BusFault(.shuttingDown, "the daemon is still reading its queue; try again")
        }
        let position = try position.map(Self.position) ?? .start
        // Conditions reveal where the user is, and when. So an app gets its own transfers only.
        let past = try await history.history(since: start, from: position, of: caller.isPerson ? nil : caller.app)
        var page = HistoryPage()
        page.transfers = past.transfers.map(HistoryTransfer.init)
        if caller.isPerson { page.conditions = past.conditions.map(HistoryConditions.init) }
        page.next = past.next.map(Self.text)
        return page
    }

    private static func text(of position: History.Position) -> String {
        switch position {
        case .transfers(let last): "transfer \(last)"
        case .conditions(let last): "condition \(last)"
        }
    }

    private static func position(_ text: String) throws -> History.Position {
        let words = text.split(separator: " ")
        guard words.count == 2, let number = Int64(words[1]), number >= 0 else { throw BusFault.invalidPosition(text) }
        switch words[0] {
        case "transfer": return .transfers(after: TransferID(number))
        case "condition": return .conditions(after: number)
        default: throw BusFault.invalidPosition(text)
        }
    }

    func log(of id: TransferID) async throws -> HistoryTransfer {
        guard let history = await daemon.history else {
            throw BusFault(.shuttingDown, "the daemon is still reading its queue; try again")
        }
        guard let transfer = try await history.history(of: id), caller.reaches(transfer.specification.traits.app) else {
            throw BusFault(
                .noSuchTransfer, "the history has no transfer \(id); see 'transferctl history'")
        }
        return HistoryTransfer(transfer)
    }
}

extension HistoryTransfer {
    fileprivate init(_ transfer: RecordedTransfer) {
        self.init(id: transfer.id, transfer.specification)
        events = transfer.events.map { Event(time: $0.time, event: $0.kind.rawValue, note: $0.message) }
        guard case .completed(let completion, _)? = transfer.ending else { return }
        status = completion.status
        path = completion.file?.path
        if !isUpload { bytes = completion.file?.bytes }
    }
}

extension HistoryConditions {
    fileprivate init(_ span: ConditionSpan) {
        self.init(start: span.start, end: span.end)
        (power, level, network) = (span.values.power, span.values.batteryLevel, span.values.network)
        (linkKind, metered, isAsleep) = (span.values.linkKind, span.values.metered, span.values.isSuspended)
    }
}

extension BusFault {
    fileprivate static func invalidPosition(_ text: String) -> BusFault {
        BusFault(
            .invalidArgument, "'\(text.prefix(40))' is not a position in the history; use 'next' of the preceding page")
    }
}
