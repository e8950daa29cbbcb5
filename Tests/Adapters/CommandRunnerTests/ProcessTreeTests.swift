// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import CommandRunner

/// Tests of the processes that belong to a command.
@Suite("The processes of a command")
struct ProcessTreeTests {
    private func process(_ id: Int32, below parent: Int32) -> ListedProcess {
        ListedProcess(id: id, parent: parent, state: "S", start: UInt64(id))
    }

    @Test("Descendants are found at any depth, parents first, without excluded processes and those below them")
    func descendants() {
        let all = [
            process(5, below: 3), process(3, below: 1), process(1, below: 0), process(4, below: 3),
            process(7, below: 6), process(6, below: 1), process(9, below: 8), process(2, below: 0),
        ]
        let found = ProcessTree.descendants(of: 1, in: all, excluding: [6]).map(\.id)
        #expect(found.sorted() == [3, 4, 5])
        #expect(found.first == 3)
    }

    @Test("A line of the kernel is read, whatever the program is named")
    func stat() throws {
        let numbers = (4...22).map { "\($0)" }.joined(separator: " ")
        let text = "42 (a) R (b c) T 7 " + numbers.dropFirst(2) + " 99"
        let process = try #require(ListedProcess(stat: text))
        #expect(process == ListedProcess(id: 42, parent: 7, state: "T", start: 22))
        #expect(ListedProcess(stat: "42 (x") == nil)
        #expect(ListedProcess(stat: "") == nil)
    }

    @Test("This process and its parent are in the list of the machine")
    func all() throws {
        let own = try #require(ProcessTree.all().first { $0.id == getpid() })
        #expect(ProcessTree.process(own.id)?.start == own.start)
        #expect(ProcessTree.process(.max) == nil)
    }

    @Test("The mount point of the unified hierarchy is found, on hybrid machines too")
    func mountPoint() {
        let hybrid = """
            31 23 0:26 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755
            32 31 0:27 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw
            33 31 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
            """
        #expect(CgroupFreezer.mountPoint(in: hybrid) == "/sys/fs/cgroup/unified")
        #expect(CgroupFreezer.mountPoint(in: "24 1 0:22 / /proc rw - proc proc rw") == nil)
    }
}
