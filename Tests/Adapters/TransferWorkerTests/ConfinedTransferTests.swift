// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferWorker
import WorkerBench
import WorkerExecutor

/// Tests of C11: a confined worker can still do all that transfers need of the system.
@Suite("Transfers in confined workers (C11)", .timeLimit(.minutes(1)))
struct ConfinedTransferTests {
    private static let file = ServedFile(bytes: ServedFile.content(300_000))

    /// A Boolean value that indicates whether /dev/shm is writable and on another file system than the temporary
    /// files.
    private static let hasOtherVolume =
        device("/dev/shm") != nil && device("/dev/shm") != device(NSTemporaryDirectory())

    private static func device(_ path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 && access(path, W_OK) == 0 ? UInt64(status.st_dev) : nil
    }

    /// Runs `body` with a server and with workers that `configure` sets up.
    private func run(
        options: HostileServerOptions = HostileServerOptions(),
        configure: (inout WorkerExecutorConfiguration) -> Void = { _ in },
        _ body: (WorkerBench, HostileServer) async throws -> Void
    ) async throws {
        let server = try HostileServer(options: options, handler: Self.file.serve)
        defer { server.stop() }
        let bench = try WorkerBench(configure: configure)
        defer { try? FileManager.default.removeItem(atPath: bench.root) }
        do {
            try await body(bench, server)
        } catch {
            await bench.executor.shutdown()
            throw error
        }
        await bench.executor.shutdown()
    }

    @Test(
        "https by a file of certificates in a folder that is otherwise out of reach, straight and by a proxy's tunnel")
    func certificates() async throws {
        let authority = try HostileAuthority()
        var options = HostileServerOptions()
        options.certificate = try authority.certificate()
        let pem = NSTemporaryDirectory() + "transfer-authority-\(UUID().uuidString).pem"
        try authority.pem.write(toFile: pem, atomically: true, encoding: .utf8)
        defer { unlink(pem) }
        let tunnels = ConnectProxy()
        let proxy = try HostileServer { tunnels.serve($0, $1) }
        defer { proxy.stop() }
        for address in [nil, proxy.url("")] as [String?] {
            let configure: (inout WorkerExecutorConfiguration) -> Void = {
                $0.executor.caFile = pem
                $0.executor.proxy = address
            }
            try await run(options: options, configure: configure) { bench, server in
                let outcome = await bench.start(bench.job(1, server.url("/f"))).outcome()
                #expect(bench.contents(outcome) == Self.file.bytes, "\(outcome)")
            }
        }
        #expect(tunnels.tunnels > 0)
    }

    @Test("a name from the hosts file, and IPv6", arguments: [false, true])
    func names(usesIPv6: Bool) async throws {
        var options = HostileServerOptions()
        options.usesIPv6 = usesIPv6
        try await run(options: options) { bench, server in
            let url = usesIPv6 ? server.url("/f") : "http://localhost:\(server.port)/f"
            let outcome = await bench.start(bench.job(1, url)).outcome()
            #expect(bench.contents(outcome) == Self.file.bytes, "\(outcome)")
        }
    }

    @Test(
        "a destination on another file system",
        .enabled(if: hasOtherVolume, "/dev/shm is missing, or is the file system of temporary files"))
    func otherVolume() async throws {
        let folder = "/dev/shm/transfer-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await run { bench, server in
            var specification = bench.job(1, server.url("/f")).specification
            specification.destination = Destination(directory: folder + "/a/b", name: nil)
            let job = TransferJob(id: TransferID(1), specification: specification, resume: nil)
            let outcome = await bench.start(job).outcome()
            #expect(outcome.completion?.file?.path == folder + "/a/b/f", "\(outcome)")
            #expect(bench.contents(outcome) == Self.file.bytes)
        }
    }

    @Test("a worker gets no further transfers once the files by which it finds servers have been replaced")
    func replacedFiles() async throws {
        let pem = NSTemporaryDirectory() + "transfer-authority-\(UUID().uuidString).pem"
        defer { unlink(pem) }
        try HostileAuthority().pem.write(toFile: pem, atomically: true, encoding: .utf8)
        try await run(configure: { $0.executor.caFile = pem }) { bench, server in
            _ = await bench.start(bench.job(1, server.url("/f"))).outcome()
            let first = bench.executor.processNumbers
            _ = await bench.start(bench.job(2, server.url("/f"))).outcome()
            #expect(bench.executor.processNumbers == first)
            try HostileAuthority().pem.write(toFile: pem + ".new", atomically: true, encoding: .utf8)
            #expect(rename(pem + ".new", pem) == 0)
            #expect(bench.contents(await bench.start(bench.job(3, server.url("/f"))).outcome()) == Self.file.bytes)
            #expect(await WorkerBench.eventually { Set(bench.executor.processNumbers).isDisjoint(with: first) })
        }
    }
}
