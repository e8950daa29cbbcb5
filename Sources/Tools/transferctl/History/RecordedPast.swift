// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab
import ToolSupport
import TransferModel

/// The recorded history, in the daemon's form and in the form that `transferlab` reads.
struct RecordedPast {
    /// All pages, merged into one. The conditions are in the order of the daemon's answers.
    let page: HistoryPage
    var transfers: [HistoryTransfer] { page.transfers }
    var conditions: [HistoryConditions] { page.conditions ?? [] }
    /// The end of conditions that still hold.
    private let now: WallTime
    /// The name of the device in workloads, and the name of the trace file.
    static let device = "this-machine"

    /// Creates the history from merged pages.
    init(_ page: HistoryPage, now: WallTime) { (self.page, self.now) = (page, now) }

    /// Formats a date in local time, to the second.
    static func time(_ wall: WallTime) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: Double(wall.nanosecondsSinceEpoch) / 1e9))
    }

    // MARK: Text

    /// All events in chronological order, one line each.
    var lines: [String] {
        var events: [(time: WallTime, text: String)] = []
        for transfer in transfers {
            for moment in transfer.moments {
                let note = moment.note.map { ": \($0)" } ?? ""
                events.append((moment.time, "\(transfer.id) \(transfer.name)  \(moment.event)\(note)"))
            }
        }
        for span in conditions { events.append((span.start, Self.text(of: span))) }
        // Events with equal times keep their original order.
        return events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map {
            "\(Self.time($1.time))  \($1.text)".printable
        }
    }

    private static func text(of span: HistoryConditions) -> String {
        if span.isAsleep { return "-- asleep, or about to be" }
        let level = span.level.map { ", charge \($0) %" } ?? ""
        return "-- power \(span.power.rawValue)\(level); network \(span.network.rawValue), \(span.linkKind.rawValue), "
            + "metered: \(span.metered.rawValue)"
    }

    // MARK: transferlab

    /// The recorded conditions, or `nil` if nothing was recorded.
    var trace: Trace? {
        var segments: [Trace.Segment] = []
        for span in conditions {
            let end = span.end ?? now
            // Spans may overlap if the wall clock was set back.
            let start = max(span.start, segments.last?.end ?? span.start)
            guard start < end else { continue }
            var segment = Trace.Segment(
                start: start, end: end, power: span.power, network: Self.network(of: span))
            segment.level = span.level.map { Double($0) / 100 }
            segment.isSuspended = span.isAsleep
            segment.metered = Self.isMetered(span)
            segments.append(segment)
        }
        return Trace(device: Self.device, segments: segments)
    }

    private static func network(of span: HistoryConditions) -> Trace.Network {
        switch span.network {
        case .none, .portal: return .none
        case .limited, .full: break
        case .unknown: return .unknown
        }
        return switch span.linkKind {
        case .wifi: .wifi
        case .ethernet: .ethernet
        case .cellular, .bluetooth, .usbTether: .cell
        case .other, .unknown: .unknown
        }
    }

    private static func isMetered(_ span: HistoryConditions) -> Bool? {
        switch span.metered {
        case .yes, .guessYes: true
        case .no, .guessNo: false
        case .unknown: nil
        }
    }

    /// The transfers with known sizes, or `nil` if there are none.
    var workload: Workload? {
        let jobs = transfers.compactMap { transfer -> Job? in
            guard let bytes = transfer.bytes, let arrival = transfer.moments.first?.time else { return nil }
            return Job(
                id: transfer.id.rawValue, arrival: arrival, bytes: bytes,
                deadline: transfer.deadline.flatMap { $0 > arrival ? $0 : nil }, app: transfer.app,
                host: transfer.host, priority: transfer.priority)
        }
        return jobs.isEmpty ? nil : Workload(devices: [Workload.Device(name: Self.device, jobs: jobs)])
    }
}
