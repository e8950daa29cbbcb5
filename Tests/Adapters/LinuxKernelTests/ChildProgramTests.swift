// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxKernel

@Suite("Child programs")
struct ChildProgramTests {
    private func shell(_ command: String, _ environment: [String: String] = [:]) -> ChildProgram {
        ChildProgram("/bin/sh", ["sh", "-c", command], environment: environment)
    }

    /// Runs a program to its end and returns the end and the standard output.
    private func outcome(of program: ChildProgram) throws -> (ChildProgram.End?, String) {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        var program = program
        program.output = .file(fileno(file))
        let end = ChildProgram.collect(try program.start())
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(fileno(file), &bytes, bytes.count, 0)
        return (end, String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }

    @Test("The end is the exit status or the signal")
    func ends() throws {
        #expect(ChildProgram.collect(try shell("exit 0").start()) == .status(0))
        #expect(ChildProgram.collect(try shell("exit 7").start()) == .status(7))
        #expect(ChildProgram.collect(try shell("kill -TERM $$").start()) == .signal(SIGTERM))
    }

    @Test("A child receives only the given environment, and its input is empty")
    func environment() throws {
        let (end, words) = try outcome(of: shell("cat; echo \"$WORD|$HOME\"", ["WORD": "a b=c"]))
        #expect(end == .status(0))
        #expect(words == "a b=c|\n")
    }

    @Test("A child inherits no open file except the passed file as descriptor 3")
    func files() throws {
        let open = "for n in 3 4 5 6 7 8 9; do if (: <&$n) 2>/dev/null; then echo $n; fi; done"
        let leaked = dup(STDERR_FILENO)
        defer { close(leaked) }
        #expect(leaked > 2)
        #expect(try outcome(of: shell(open)).1 == "")
        var program = shell(open)
        let null = fcntl(Glibc.open("/dev/null", O_RDWR), F_DUPFD_CLOEXEC, 16)
        defer { close(null) }
        program.passedFile = null
        #expect(try outcome(of: program).1 == "3\n")
    }

    @Test("A child neither blocks nor ignores signals, regardless of its parent")
    func signals() throws {
        // Dispatch's threads block signals; here, this thread blocks them itself.
        var (blocked, former) = (sigset_t(), sigset_t())
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let (_, words) = try outcome(of: shell("grep -E '^Sig(Blk|Ign):' /proc/self/status", ["PATH": "/usr/bin:/bin"]))
        let masks = words.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0, radix: 16) }
        #expect(masks.count == 2)
        // The C library reserves two signals, 32 and 33, and ignores them in programs that it starts.
        #expect(masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(words)")
    }

    @Test(
        "A child leads the requested group and session",
        arguments: [ChildProgram.Group.parents, .own, .ownSession])
    func groups(group: ChildProgram.Group) throws {
        var program = shell("exec sleep 60", ["PATH": "/usr/bin:/bin"])
        program.group = group
        let process = try program.start()
        #expect(getpgid(process) == (group == .parents ? getpgid(0) : process))
        #expect(getsid(process) == (group == .ownSession ? process : getsid(0)))
        kill(process, SIGKILL)
        ChildProgram.awaitEnd(of: process)
        #expect(kill(process, 0) == 0)  // The process identifier is still in use.
        #expect(ChildProgram.collect(process) == .signal(SIGKILL))
        #expect(ChildProgram.collect(process) == nil)
    }

    @Test("A failed start has the system's error message")
    func missing() {
        let program = ChildProgram("/nonexistent/program", ["program"], environment: [:])
        #expect { try program.start() } throws: { "\($0)" == "No such file or directory" }
    }
}
