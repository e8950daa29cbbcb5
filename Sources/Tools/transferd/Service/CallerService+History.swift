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
    func history(since start: WallTime, from place: String?) async throws -> HistoryPage {
        guard let history = await daemon.history else {
            throw BusFault(.shuttingDown, "the daemon has not read its queue yet; ask again")
        }
        let place = try place.map(Self.place) ?? .start
        // Conditions reveal where a person is, and when. So an app gets its own transfers only.
        let past = try await history.history(since: start, from: place, of: caller.isPerson ? nil : caller.app)
        var page = HistoryPage()
        page.transfers = past.transfers.map(HistoryTransfer.init)
        if caller.isPerson { page.conditions = past.conditions.map(HistoryConditions.init) }
        page.next = past.next.map(Self.text)
        return page
    }

    private static func text(of place: History.Place) -> String {
        switch place {
        case .transfers(let last): "transfer \(last)"
        case .conditions(let last): "condition \(last)"
        }
    }

    private static func place(_ text: String) throws -> History.Place {
        let words = text.split(separator: " ")
        guard words.count == 2, let number = Int64(words[1]), number >= 0 else { throw BusFault.noPlace(text) }
        switch words[0] {
        case "transfer": return .transfers(after: TransferID(number))
        case "condition": return .conditions(after: number)
        default: throw BusFault.noPlace(text)
        }
    }

    func log(of id: TransferID) async throws -> HistoryTransfer {
        guard let history = await daemon.history else {
            throw BusFault(.shuttingDown, "the daemon has not read its queue yet; ask again")
        }
        guard let transfer = try await history.history(of: id), caller.reaches(transfer.specification.traits.app) else {
            throw BusFault(
                .noSuchTransfer, "nothing is recorded of a transfer \(id); 'transferctl history' shows what is")
        }
        return HistoryTransfer(transfer)
    }
}

extension HistoryTransfer {
    fileprivate init(_ transfer: RecordedTransfer) {
        self.init(id: transfer.id, transfer.specification)
        moments = transfer.moments.map { Event(time: $0.time, event: $0.kind.rawValue, note: $0.note) }
        guard case .completed(let completion, _)? = transfer.ending else { return }
        status = completion.status
        path = completion.file?.path
        if !isUpload { bytes = completion.file?.bytes }
    }
}

extension HistoryConditions {
    fileprivate init(_ span: ConditionSpan) {
        self.init(start: span.start, end: span.end)
        (power, level, network) = (span.facts.power, span.facts.batteryLevel, span.facts.network)
        (linkKind, metered, isAsleep) = (span.facts.linkKind, span.facts.metered, span.facts.isSuspended)
    }
}

extension BusFault {
    fileprivate static func noPlace(_ text: String) -> BusFault {
        BusFault(.invalidArgument, "'\(text.prefix(40))' is no 'next' of a page of the history")
    }
}
