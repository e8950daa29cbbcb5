// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The text of time windows, in the form that `--window` accepts: `Mon-Fri 01:00-06:00; Sat,Sun 00:00-24:00`.
enum WindowText {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let day: Int64 = 86_400

    /// Returns the text of windows. Windows of several days with the same hours become one.
    static func text(_ windows: [WindowConstraint.Window]) -> String {
        var groups: [(hours: String, days: Set<Int>)] = []
        for window in windows {
            let (start, length) = (window.start % day, window.end - window.start)
            guard length <= day else {
                // No option describes a window of several days, but an app can set one.
                groups.append(("\(time(window.start)) to \(time(window.end))", []))
                continue
            }
            let end = start + length == day ? day : (start + length) % day
            let hours = "\(clock(start))-\(clock(end))"
            let number = Int(window.start / day % 7)
            if let index = groups.firstIndex(where: { $0.hours == hours && !$0.days.isEmpty }) {
                groups[index].days.insert(number)
            } else {
                groups.append((hours, [number]))
            }
        }
        return groups.map { group in
            group.days.isEmpty || group.days.count == 7 ? group.hours : names(group.days) + " " + group.hours
        }.joined(separator: "; ")
    }

    /// Returns names such as `Mon-Fri` or `Mon,Wed`.
    private static func names(_ numbers: Set<Int>) -> String {
        var runs: [ClosedRange<Int>] = []
        for number in numbers.sorted() {
            if let last = runs.last, last.upperBound + 1 == number {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { run in
            run.count > 2
                ? "\(days[run.lowerBound])-\(days[run.upperBound])" : run.map { days[$0] }.joined(separator: ",")
        }.joined(separator: ",")
    }

    private static func time(_ second: Int64) -> String { "\(days[Int(second / day % 7)]) \(clock(second % day))" }

    private static func clock(_ second: Int64) -> String {
        let (hour, minute) = (second / 3600, second % 3600 / 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
