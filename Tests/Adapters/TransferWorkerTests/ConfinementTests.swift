// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import ProcessFixtures
import Testing
import WorkerExecutor
import WorkerHarness

@testable import TransferWorker

/// Tests of C11: code that a server injects into a worker reaches only the bytes of the worker's own attempts.
@Suite("The worker's confinement (C11)", .timeLimit(.minutes(1)))
struct ConfinementTests {
    private static let program = URL(fileURLWithPath: WorkerHarness.program).deletingLastPathComponent()
        .appendingPathComponent("HostileWorker").path

    /// True if Landlock can be tested here. `isWhole` is true if seccomp can be tested here.
    private static let hasLandlock = WorkerConfinement.offered.landlockABI != nil && !WorkerConfinement.isSanitized
    private static let isWhole = WorkerConfinement.offered.seccomp && !WorkerConfinement.isSanitized

    /// A folder with a home folder, a destination, a partial folder, and files in them.
    private final class Environment {
        let root = NSTemporaryDirectory() + "hostile-\(UUID().uuidString)"
        var key: String { root + "/user/.ssh/id" }
        var partial: String { root + "/partial/1-aa.part" }

        init() throws {
            for folder in ["user/.ssh", "out", "partial"] {
                try FileManager.default.createDirectory(
                    atPath: root + "/" + folder, withIntermediateDirectories: true)
            }
            for file in [key, partial] { try Data("secret".utf8).write(to: URL(fileURLWithPath: file)) }
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }

        /// Makes the attempts in a confined process, and returns each attempt's result by the attempt's text.
        func attempt(_ attempts: [String], usesLandlock: Bool = true) async throws -> [String: String] {
            let words = ["try"] + (usesLandlock ? [] : ["--without-landlock"]) + attempts
            let lines = try await FixtureProcess([ConfinementTests.program] + words).output.rest()
            var results: [String: String] = [:]
            for line in lines {
                guard let colon = line.range(of: ": ", options: .backwards) else { continue }
                results[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
            }
            return results
        }
    }

    @Test(
        "Files outside the allowed paths cannot be read, written, created, or removed",
        .enabled(if: hasLandlock, "this kernel has no Landlock, or this is a build with a sanitizer, which reads files")
    )
    func files() async throws {
        let environment = try Environment()
        let denied = [
            "read=\(environment.key)": "EACCES", "read=/etc/shadow": "EACCES", "read=/etc/passwd": "EACCES",
            "read=\(environment.root)": "EACCES", "write=\(environment.partial)": "EACCES",
            "create in=\(environment.root)/out": "EACCES",
            "write=/proc/self/oom_score_adj": "EACCES", "cut=\(environment.partial)": "EPERM",
            "remove=\(environment.partial)": "EPERM", "rename=\(environment.partial)": "EPERM",
            "change mode of=\(environment.key)": "EPERM",
            "set attribute of=\(environment.key)": "EPERM", "mount on=\(environment.root)/out": "EPERM",
        ]
        let allowed = ["read=/etc/hosts", "read=/proc/self/status", "read=/proc/net/dev", "write=/dev/null"]
        let results = try await environment.attempt(denied.keys.sorted() + allowed)
        for (attempt, error) in denied { #expect(results[attempt] == error, "\(attempt)") }
        for attempt in allowed { #expect(results[attempt] == "done", "\(attempt)") }
        #expect(FileManager.default.contents(atPath: environment.partial) == Data("secret".utf8))
    }

    @Test(
        "Without Landlock in the kernel, a worker still cannot write files",
        .enabled(if: isWhole, "this kernel filters no system calls, or this is a build with a sanitizer"))
    func withoutLandlock() async throws {
        let environment = try Environment()
        let attempts = [
            "write=\(environment.partial)", "create in=\(environment.root)/out", "remove=\(environment.partial)",
        ]
        let results = try await environment.attempt(attempts, usesLandlock: false)
        for attempt in attempts { #expect(results[attempt] == "EPERM", "\(attempt)") }
        #expect(results["confinement: no new privileges, seccomp, not dumpable; missing"] == "Landlock", "\(results)")
    }

    @Test(
        "Programs, other processes, buses, and risky kernel interfaces are inaccessible",
        .enabled(if: isWhole, "this kernel filters no system calls, or this is a build with a sanitizer"))
    func calls() async throws {
        let environment = try Environment()
        var attempts = [
            "start program", "start process", "trace parent", "read memory of parent", "signal parent", "open parent",
            "limit parent", "own file by parent", "set signal of file", "connect to=/run/dbus/system_bus_socket",
            "pair of datagrams", "packet socket", "family beyond 32 bits", "io_uring", "bpf", "keyctl", "userfaultfd",
            "perf_event_open", "unshare", "setns", "open by handle", "shmget", "shmat", "shmdt", "shmctl", "msgget",
            "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl",
        ]
        #if arch(x86_64)
        attempts.append("x32 call")
        #endif
        let results = try await environment.attempt(attempts)
        for attempt in attempts { #expect(results[attempt] == "EPERM", "\(attempt)") }
    }

    @Test(
        "What a worker that was taken over can still see and do is what SECURITY.md says",
        .enabled(if: hasLandlock && isWhole, "this kernel has no Landlock or filters no system calls"))
    func remainder() async throws {
        let environment = try Environment()
        try FileManager.default.createSymbolicLink(
            atPath: environment.root + "/link", withDestinationPath: environment.key)
        let parent = "/proc/\(getpid())"
        let granted = [
            "read=\(parent)/cmdline", "read=\(parent)/stat", "read=\(parent)/mounts", "read=/proc/sysvipc/shm",
            "look at=\(environment.key)", "read link=\(environment.root)/link",
            "list attributes of=\(environment.key)", "bind abstract name",
        ]
        var denied = ["read=\(parent)/mem", "read link=\(parent)/cwd", "read link=\(parent)/fd/0"]
        // Root may measure the performance of any process, which includes reading these files.
        denied += ["read=\(parent)/environ", "read=\(parent)/maps"]
        let results = try await environment.attempt(granted + denied)
        for attempt in granted { #expect(results[attempt] == "done", "\(attempt)") }
        for attempt in denied { #expect(results[attempt] == "EACCES", "\(attempt)") }
    }

    @Test("A worker reports its confinement, which is everything that the kernel offers, and the log shows it once")
    func confinementIsReported() async throws {
        try await WorkerHarness.run(handler: { $1.respond("404 Not Found") }) { fixture, server in
            #expect(fixture.executor.confinement == nil)
            _ = await fixture.start(fixture.job(1, server.url("/a"))).outcome()
            #expect(fixture.executor.confinement == WorkerConfinement.offered)
            let lines = fixture.log.lines.filter { $0.contains("confined") }
            #expect(lines.count == 1 && lines.first?.hasPrefix("debug") == true, "\(lines)")
            let process = try #require(fixture.executor.processIDs.first)
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("CapEff:\t0000000000000000") && status.contains("CapPrm:\t0000000000000000"))
            #expect(status.contains("Seccomp:\t2"))
        }
    }

    @Test("The description lists the active and the missing parts")
    func words() {
        let whole = WorkerConfinement(noNewPrivileges: true, seccomp: true, landlockABI: 7, notDumpable: true)
        #expect("\(whole)" == "no new privileges, seccomp, Landlock ABI 7, not dumpable")
        let part = WorkerConfinement(noNewPrivileges: true, seccomp: false, landlockABI: nil, notDumpable: true)
        #expect("\(part)" == "no new privileges, not dumpable; missing: seccomp, Landlock")
    }

    @Test("Certificates named by the configuration and the environment are readable, but not the folder of the file")
    func paths() {
        let paths = ConfinedPaths(
            caFile: "/opt/user/ca.pem", environment: ["SSL_CERT_DIR": "/opt/a:/opt/b", "HOME": "/opt/user"])
        #expect(Set(["/opt/user/ca.pem", "/opt/a", "/opt/b", "/etc/resolv.conf"]).isSubset(of: paths.readable))
        #expect(!paths.readable.contains { "/opt/user".hasPrefix($0) && $0 != "/" })
    }
}
