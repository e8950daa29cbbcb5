// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A process as the kernel lists it.
package struct ListedProcess: Hashable, Sendable {
    /// The process ID.
    package var id: Int32
    /// The process ID of the parent.
    package var parent: Int32
    /// The state: `T` if the process is stopped, `Z` if it has ended and is not collected.
    package var state: Character
    /// The start time, in clock ticks since the boot. Together with the ID, it identifies the process.
    package var start: UInt64

    /// Creates a process.
    package init(id: Int32, parent: Int32, state: Character, start: UInt64) {
        (self.id, self.parent, self.state, self.start) = (id, parent, state, start)
    }

    /// Parses the text of `/proc/PID/stat`. The name of the program in it may contain any characters.
    package init?(stat text: String) {
        guard let opening = text.firstIndex(of: "("), let closing = text.lastIndex(of: ")"), opening < closing,
            let id = Int32(text[..<opening].dropLast())
        else { return nil }
        let fields = text[text.index(after: closing)...].split(separator: " ")
        guard fields.count > 19, let state = fields[0].first, let parent = Int32(fields[1]),
            let start = UInt64(fields[19])
        else { return nil }
        self.init(id: id, parent: parent, state: state, start: start)
    }
}

/// The processes below a process: its children, their children, and so on.
package enum ProcessTree {
    /// Returns the descendants of a process, parents before their children.
    ///
    /// - Parameters:
    ///   - root: The ID of the process, which is not among the result.
    ///   - processes: All processes of the machine.
    ///   - excluded: The processes that are left out with everything below them.
    package static func descendants(
        of root: Int32, in processes: [ListedProcess], excluding excluded: Set<Int32> = []
    ) -> [ListedProcess] {
        let children = Dictionary(grouping: processes, by: \.parent)
        var found: [ListedProcess] = []
        var next = [root]
        var seen = excluded.union([root])
        while let parent = next.popLast() {
            for child in (children[parent] ?? []) where seen.insert(child.id).inserted {
                found.append(child)
                next.append(child.id)
            }
        }
        return found
    }

    /// Returns all processes of the machine that `/proc` shows. Processes that end meanwhile may be missing.
    package static func all() -> [ListedProcess] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).compactMap(process)
    }

    /// Returns a process, or `nil` if it does not exist.
    package static func process(_ id: Int32) -> ListedProcess? {
        let text = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(id)/stat"))
        return text.flatMap { ListedProcess(stat: String(decoding: $0, as: UTF8.self)) }
    }
}
