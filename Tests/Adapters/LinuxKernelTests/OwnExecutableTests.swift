// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel
import Testing

@Suite("The file that a process executes")
struct OwnExecutableTests {
    @Test("The path leads to the file that this process executes")
    func path() {
        var (named, executed) = (stat(), stat())
        #expect(stat(OwnExecutable.path, &named) == 0 && stat("/proc/self/exe", &executed) == 0)
        #expect((named.st_dev, named.st_ino) == (executed.st_dev, executed.st_ino))
    }

    @Test("A replaced file keeps its path, and so does a file whose name only contains the mark")
    func mark() {
        #expect(OwnExecutable.withoutMark("/usr/bin/transferd (deleted)") == "/usr/bin/transferd")
        #expect(OwnExecutable.withoutMark("/opt/a (deleted) b/transferd") == "/opt/a (deleted) b/transferd")
    }
}
