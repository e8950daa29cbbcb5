// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SQLiteStore
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy

/// Telling of the past.
extension DaemonService {
    func history(since start: WallTime, from place: String?, for caller: BusCaller) async throws -> [String:
        VariantValue]
    {
        guard let history else { throw BusFault(.shuttingDown, "the daemon has not read its queue yet; ask again") }
        let place = try place.map(Self.place) ?? .start
        // Where somebody is, and when, is no app's business: an app gets its transfers alone.
        let past = try await history.history(since: start, from: place, of: caller.isPerson ? nil : caller.app)
        var fields: [String: VariantValue] = [
            "transfers": .list(past.transfers.map { .dictionary(Self.fields(of: $0)) })
        ]
        if caller.isPerson { fields["conditions"] = .list(past.conditions.map { .dictionary(Self.fields(of: $0)) }) }
        fields["next"] = past.next.map { .string(Self.text(of: $0)) }
        return fields
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

    func log(of id: TransferID, for caller: BusCaller) async throws -> [String: VariantValue] {
        guard let history else { throw BusFault(.shuttingDown, "the daemon has not read its queue yet; ask again") }
        guard let transfer = try await history.history(of: id), caller.reaches(transfer.specification.traits.app) else {
            throw BusFault(
                .noSuchTransfer, "nothing is recorded of a transfer \(id); 'transferctl history' shows what is")
        }
        return Self.fields(of: transfer)
    }

    private static func fields(of transfer: RecordedTransfer) -> [String: VariantValue] {
        let specification = transfer.specification
        var fields: [String: VariantValue] = [
            "id": .integer(transfer.id.rawValue), "name": .string(specification.displayName),
            "url": .string(TransferSpecification.redacted(url: specification.url)),
            "app": .string(specification.traits.app), "upload": .bool(specification.upload != nil),
            "kind": .string(specification.traits.kind.rawValue),
            "priority": .integer(Int64(specification.traits.priority)), "host": .string(specification.traits.host),
            "moments": .list(transfer.moments.map { .dictionary(Self.fields(of: $0)) }),
        ]
        fields["session"] = .optional(specification.traits.session)
        fields["deadline"] = specification.traits.constraints.deadline.map {
            .string(BusDate($0.date).description)
        }
        if case .completed(let completion, _)? = transfer.ending {
            fields["status"] = .integer(Int64(completion.status))
            fields["bytes"] = completion.file.map { .integer($0.bytes) }
            fields["path"] = .optional(completion.file?.path)
        }
        if specification.upload != nil { fields["bytes"] = specification.upload.map { .integer($0.size) } }
        return fields
    }

    private static func fields(of moment: TransferMoment) -> [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "time": .string(BusDate(moment.time).description), "event": .string(moment.kind.rawValue),
        ]
        fields["note"] = .optional(moment.note)
        return fields
    }

    private static func fields(of span: ConditionSpan) -> [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "start": .string(BusDate(span.start).description), "power": .string(span.facts.power.rawValue),
            "network": .string(span.facts.network.rawValue), "linkKind": .string(span.facts.linkKind.rawValue),
            "metered": .string(span.facts.metered.rawValue), "asleep": .bool(span.facts.isSuspended),
        ]
        fields["end"] = span.end.map { .string(BusDate($0).description) }
        fields["level"] = span.facts.batteryLevel.map { .integer(Int64($0)) }
        return fields
    }
}

extension BusFault {
    fileprivate static func noPlace(_ text: String) -> BusFault {
        BusFault(.invalidArgument, "'\(text.prefix(40))' is no 'next' of a page of the history")
    }
}
