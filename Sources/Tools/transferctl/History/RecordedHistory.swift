// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import PolicyLab
import ToolSupport
import TransferModel

/// The recorded history, in the daemon's form and in the form that `transferlab` reads.
struct RecordedHistory {
    /// All pages, merged into one. The conditions are in the order of the daemon's responses.
    let page: HistoryPage
    var transfers: [HistoryTransfer] { page.transfers }
    var conditions: [HistoryConditions] { page.conditions ?? [] }
    /// The end of conditions that still apply.
    private let now: WallTime
    /// The name of the device in workloads, and the name of the trace file.
    static let device = "this-machine"

    /// Creates the history from merged pages.
    init(_ page: HistoryPage, now: WallTime) { (self.page, self.now) = (page, now) }

    /// Formats a date in local time, to the second.
    static func time(_ wall: WallTime) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = LocalClock().fixedZone(at: wall)
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter.string(from: Date(timeIntervalSince1970: Double(wall.nanosecondsSinceEpoch) / 1e9))
    }

    // MARK: Text

    /// All events in chronological order, one line each.
    var lines: [String] {
        var events: [(time: WallTime, text: String)] = []
        for transfer in transfers {
            for moment in transfer.events {
                let note = moment.note.map { ": \($0)" } ?? ""
                events.append((moment.time, "\(transfer.id) \(transfer.name)  \(moment.event)\(note)"))
            }
        }
        for period in conditions { events.append((period.start, Self.text(of: period))) }
        // Events with equal times keep their original order.
        return events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map {
            "\(Self.time($1.time))  \($1.text)".printable
        }
    }

    private static func text(of period: HistoryConditions) -> String {
        if period.isAsleep { return "-- asleep or going to sleep" }
        let level = period.level.map { ", battery \($0) %" } ?? ""
        return
            "-- power \(period.power.rawValue)\(level); network \(period.network.rawValue), \(period.linkKind.rawValue), "
            + "metered: \(period.metered.rawValue)"
    }

    // MARK: transferlab

    /// The recorded conditions, or `nil` if nothing was recorded.
    var trace: Trace? {
        var segments: [Trace.Segment] = []
        for period in conditions {
            let end = period.end ?? now
            // Spans may overlap if the wall clock was set back.
            let start = max(period.start, segments.last?.end ?? period.start)
            guard start < end else { continue }
            var segment = Trace.Segment(
                start: start, end: end, power: period.power, network: Self.network(of: period))
            segment.level = period.level.map { Double($0) / 100 }
            segment.isSuspended = period.isAsleep
            segment.metered = Self.isMetered(period)
            segments.append(segment)
        }
        return Trace(device: Self.device, segments: segments)
    }

    private static func network(of period: HistoryConditions) -> Trace.Network {
        switch period.network {
        case .none, .portal: return .none
        case .limited, .full: break
        case .unknown: return .unknown
        }
        return switch period.linkKind {
        case .wifi: .wifi
        case .ethernet: .ethernet
        case .cellular, .bluetooth, .usbTether: .cell
        case .other, .unknown: .unknown
        }
    }

    private static func isMetered(_ period: HistoryConditions) -> Bool? {
        switch period.metered {
        case .yes, .guessYes: true
        case .no, .guessNo: false
        case .unknown: nil
        }
    }

    /// The transfers with known sizes, or `nil` if there are none.
    var workload: Workload? {
        let jobs = transfers.compactMap { transfer -> Job? in
            guard let bytes = transfer.bytes, let arrival = transfer.events.first?.time else { return nil }
            return Job(
                id: transfer.id.rawValue, arrival: arrival, bytes: bytes,
                deadline: transfer.deadline.flatMap { $0 > arrival ? $0 : nil }, app: transfer.app,
                host: transfer.host, priority: transfer.priority)
        }
        return jobs.isEmpty ? nil : Workload(devices: [Workload.Device(name: Self.device, jobs: jobs)])
    }
}
