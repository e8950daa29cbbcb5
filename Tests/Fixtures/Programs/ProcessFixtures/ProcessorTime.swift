// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The time that the threads of processes have spent on processors, and ready to run without a processor.
///
/// The times tell what a program has done from what it could not do because other programs kept the machine busy.
package struct ProcessorTime: Sendable {
    /// The time on processors.
    package private(set) var worked = Duration.zero
    /// The time for which threads were ready to run while all processors ran others.
    package private(set) var waited = Duration.zero

    /// Sums up the times of the current threads of processes, until now.
    package init(of processes: Int32...) {
        for process in processes {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
            for thread in threads {
                let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/schedstat", encoding: .utf8)
                let times = text?.split(separator: " ").compactMap { Int64($0) } ?? []
                guard times.count > 1 else { continue }
                worked += .nanoseconds(times[0])
                waited += .nanoseconds(times[1])
            }
        }
    }

    /// Returns the part of a span that a program needed for itself. The span ended at this time, and began at `start`.
    package func ownPart(of span: Duration, since start: ProcessorTime) -> Duration {
        min(span, max(worked - start.worked, span - (waited - start.waited)))
    }
}
