// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import PolicyLab
import ToolSupport
import TransferBusProtocol
import TransferModel

/// What was recorded, as the daemon tells it, and as the lab reads it.
struct RecordedPast {
    let transfers: [[String: VariantValue]]
    let conditions: [[String: VariantValue]]
    /// What is still so ends now.
    private let now: WallTime
    /// The device's name in workloads, and of the file that its trace is in.
    static let device = "this-machine"

    /// The past as the bus has it.
    init(_ fields: [String: VariantValue], now: WallTime) {
        transfers = (fields["transfers"]?.items ?? []).compactMap(\.dictionary)
        conditions = (fields["conditions"]?.items ?? []).compactMap(\.dictionary)
        self.now = now
    }

    /// A date of the bus in local time, to the second.
    static func time(_ value: VariantValue?) -> String? {
        guard let wall = date(value) else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: Double(wall.nanosecondsSinceEpoch) / 1e9))
    }

    private static func date(_ value: VariantValue?) -> WallTime? {
        value?.string.flatMap(BusDate.init(parsing:))?.wall
    }

    // MARK: For people

    /// Everything in the order in which it happened: a line each.
    var lines: [String] {
        var events: [(time: WallTime, text: String)] = []
        for transfer in transfers {
            let name = "\(transfer["id"]?.integer ?? 0) \(transfer["name"]?.string ?? "")"
            for case .dictionary(let moment) in transfer["moments"]?.items ?? [] {
                guard let time = Self.date(moment["time"]), let event = moment["event"]?.string else { continue }
                events.append((time, "\(name)  \(event)" + (moment["note"]?.string.map { ": \($0)" } ?? "")))
            }
        }
        for span in conditions {
            guard let start = Self.date(span["start"]) else { continue }
            events.append((start, Self.text(of: span)))
        }
        // Of the same moment in the order given.
        return events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map {
            _, event in
            let time = Self.time(.string(BusDate(event.time).description)) ?? ""
            return "\(time)  \(event.text)".printable
        }
    }

    private static func text(of span: [String: VariantValue]) -> String {
        if span["asleep"] == .bool(true) { return "-- asleep, or about to be" }
        let level = span["level"]?.integer.map { ", charge \($0) %" } ?? ""
        let words = ["power", "network", "linkKind", "metered"].map { span[$0]?.string ?? "unknown" }
        return "-- power \(words[0])\(level); network \(words[1]), \(words[2]), metered: \(words[3])"
    }

    // MARK: For the lab

    /// What the machine was like; nil where nothing was recorded.
    var trace: Trace? {
        var segments: [Trace.Segment] = []
        for span in conditions {
            let end = Self.date(span["end"]) ?? now
            // A wall clock that was set back may have made spans overlap.
            guard let began = Self.date(span["start"]), case let start = max(began, segments.last?.end ?? began),
                start < end
            else { continue }
            let power = span["power"]?.string.flatMap(PowerSource.init(rawValue:)) ?? .unknown
            var segment = Trace.Segment(start: start, end: end, power: power, network: Self.network(of: span))
            segment.level = span["level"]?.integer.map { Double($0) / 100 }
            segment.isSuspended = span["asleep"] == .bool(true)
            segment.metered = Self.isMetered(span)
            segments.append(segment)
        }
        return Trace(device: Self.device, segments: segments)
    }

    private static func network(of span: [String: VariantValue]) -> Trace.Network {
        switch span["network"]?.string {
        case "none", "portal": return .none
        case "limited", "full": break
        default: return .unknown
        }
        return switch span["linkKind"]?.string.flatMap(LinkKind.init(rawValue:)) {
        case .wifi?: .wifi
        case .ethernet?: .ethernet
        case .cellular?, .bluetooth?, .usbTether?: .cell
        default: .unknown
        }
    }

    private static func isMetered(_ span: [String: VariantValue]) -> Bool? {
        switch span["metered"]?.string.flatMap(Metered.init(rawValue:)) {
        case .yes?, .guessYes?: true
        case .no?, .guessNo?: false
        case .unknown?, nil: nil
        }
    }

    /// The transfers whose sizes are known; nil where there are none.
    var workload: Workload? {
        let jobs = transfers.compactMap { transfer -> Job? in
            guard let id = transfer["id"]?.integer, let bytes = transfer["bytes"]?.integer,
                let arrival = transfer["moments"]?.items.first.flatMap({ Self.date($0.dictionary?["time"]) })
            else { return nil }
            let deadline = Self.date(transfer["deadline"]).flatMap { $0 > arrival ? $0 : nil }
            return Job(
                id: id, arrival: arrival, bytes: bytes, deadline: deadline, app: transfer["app"]?.string ?? "",
                host: transfer["host"]?.string ?? "", priority: Int(transfer["priority"]?.integer ?? 500))
        }
        return jobs.isEmpty ? nil : Workload(devices: [Workload.Device(name: Self.device, jobs: jobs)])
    }
}
