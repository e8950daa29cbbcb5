// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import HostileServer
import Testing
import WorkerBench
import WorkerExecutor

@testable import TransferWorker

/// Tests of C11: code that a server injects into a worker reaches only the bytes of the worker's own attempts.
@Suite("The worker's confinement (C11)", .timeLimit(.minutes(1)))
struct ConfinementTests {
    private static let program = URL(fileURLWithPath: WorkerBench.program).deletingLastPathComponent()
        .appendingPathComponent("HostileWorker").path

    /// True if Landlock can be tested here. `isWhole` is true if seccomp can be tested here.
    private static let hasLandlock = WorkerConfinement.offered.landlockABI != nil && !WorkerConfinement.isSanitized
    private static let isWhole = WorkerConfinement.offered.seccomp && !WorkerConfinement.isSanitized

    /// A folder with a home folder, a destination, a partial folder, and files in them.
    private final class Scene {
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
        func attempt(_ attempts: [String], usesLandlock: Bool = true) throws -> [String: String] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: ConfinementTests.program)
            process.arguments = ["try"] + (usesLandlock ? [] : ["--without-landlock"]) + attempts
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            var results: [String: String] = [:]
            for line in text.split(separator: "\n") {
                guard let colon = line.range(of: ": ", options: .backwards) else { continue }
                results[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
            }
            return results
        }
    }

    @Test(
        "files outside its list can be neither read nor written, made nor removed",
        .enabled(if: hasLandlock, "this kernel has no Landlock, or this is a build with a sanitizer, which reads files")
    )
    func files() throws {
        let scene = try Scene()
        let denied = [
            "read=\(scene.key)": "EACCES", "read=/etc/shadow": "EACCES", "read=/etc/passwd": "EACCES",
            "read=\(scene.root)": "EACCES", "write=\(scene.partial)": "EACCES", "create in=\(scene.root)/out": "EACCES",
            "write=/proc/self/oom_score_adj": "EACCES", "cut=\(scene.partial)": "EPERM",
            "remove=\(scene.partial)": "EPERM", "rename=\(scene.partial)": "EPERM",
            "change mode of=\(scene.key)": "EPERM",
            "set attribute of=\(scene.key)": "EPERM", "mount on=\(scene.root)/out": "EPERM",
        ]
        let allowed = ["read=/etc/hosts", "read=/proc/self/status", "read=/proc/net/dev", "write=/dev/null"]
        let results = try scene.attempt(denied.keys.sorted() + allowed)
        for (attempt, error) in denied { #expect(results[attempt] == error, "\(attempt)") }
        for attempt in allowed { #expect(results[attempt] == "done", "\(attempt)") }
        #expect(FileManager.default.contents(atPath: scene.partial) == Data("secret".utf8))
    }

    @Test(
        "on a kernel without Landlock it still writes nothing",
        .enabled(if: isWhole, "this kernel filters no system calls, or this is a build with a sanitizer"))
    func withoutLandlock() throws {
        let scene = try Scene()
        let attempts = ["write=\(scene.partial)", "create in=\(scene.root)/out", "remove=\(scene.partial)"]
        let results = try scene.attempt(attempts, usesLandlock: false)
        for attempt in attempts { #expect(results[attempt] == "EPERM", "\(attempt)") }
        #expect(results["confinement: no new privileges, seccomp, not dumpable; missing"] == "Landlock", "\(results)")
    }

    @Test(
        "programs, other processes, buses and the kernel's wide doors are out of reach",
        .enabled(if: isWhole, "this kernel filters no system calls, or this is a build with a sanitizer"))
    func calls() throws {
        let scene = try Scene()
        var attempts = [
            "start program", "start process", "trace parent", "read memory of parent", "signal parent", "open parent",
            "limit parent", "own file by parent", "set signal of file", "connect to=/run/dbus/system_bus_socket",
            "pair of datagrams", "packet socket", "family beyond 32 bits", "io_uring", "bpf", "keyctl", "userfaultfd",
            "perf_event_open", "unshare", "setns", "open by handle",
        ]
        #if arch(x86_64)
        attempts.append("x32 call")
        #endif
        let results = try scene.attempt(attempts)
        for attempt in attempts { #expect(results[attempt] == "EPERM", "\(attempt)") }
    }

    @Test("a worker tells what it has given up: all that the kernel offers, logged once")
    func told() async throws {
        try await WorkerBench.run(handler: { $1.answer("404 Not Found") }) { bench, server in
            #expect(bench.executor.confinement == nil)
            _ = await bench.start(bench.job(1, server.url("/a"))).outcome()
            #expect(bench.executor.confinement == WorkerConfinement.offered)
            let lines = bench.log.lines.filter { $0.contains("confined") }
            #expect(lines.count == 1 && lines.first?.hasPrefix("debug") == true, "\(lines)")
            let process = try #require(bench.executor.processNumbers.first)
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            #expect(status.contains("Seccomp:\t2"))
        }
    }

    @Test("its words name the parts that are there and those that are missing")
    func words() {
        let whole = WorkerConfinement(noNewPrivileges: true, seccomp: true, landlockABI: 7, notDumpable: true)
        #expect("\(whole)" == "no new privileges, seccomp, Landlock ABI 7, not dumpable")
        let part = WorkerConfinement(noNewPrivileges: true, seccomp: false, landlockABI: nil, notDumpable: true)
        #expect("\(part)" == "no new privileges, not dumpable; missing: seccomp, Landlock")
    }

    @Test("certificates that the configuration and the environment name may be read, and a file's own folder may not")
    func paths() {
        let paths = ConfinedPaths(
            caFile: "/opt/user/ca.pem", environment: ["SSL_CERT_DIR": "/opt/a:/opt/b", "HOME": "/opt/user"])
        #expect(Set(["/opt/user/ca.pem", "/opt/a", "/opt/b", "/etc/resolv.conf"]).isSubset(of: paths.readable))
        #expect(!paths.readable.contains { "/opt/user".hasPrefix($0) && $0 != "/" })
    }
}
