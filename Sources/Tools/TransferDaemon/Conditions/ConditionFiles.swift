// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// Empty files that say which conditions hold. The path units of systemd watch them and start targets.
///
/// For each condition there are two names, such as `ac` and `not-ac`, and exactly one of them exists after the first
/// report. The one that does not hold is removed before the other is created.
struct ConditionFiles {
    private let folder: String

    /// Creates the files' names in an existing folder.
    init(folder: String) { self.folder = folder }

    /// Brings the files in line with a report.
    ///
    /// - Throws: `UsageError` if a file cannot be written.
    func write(_ report: DiscretionaryReport) throws {
        for (condition, holds) in Self.conditions(of: report) {
            let (right, wrong) = holds ? (condition, "not-" + condition) : ("not-" + condition, condition)
            unlink("\(folder)/\(wrong)")
            let file = open("\(folder)/\(right)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            guard file >= 0 else {
                throw UsageError("cannot write \(folder)/\(right): \(String(cString: strerror(errno)))")
            }
            close(file)
        }
    }

    /// The names of the conditions, and whether they hold. What is not known does not hold.
    private static func conditions(of report: DiscretionaryReport) -> [(String, Bool)] {
        [
            ("ac", report.onAC == "yes"), ("unmetered", report.metered == "no"),
            ("discretionary", report.discretionary),
        ]
    }
}
