// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy
import TransferWorker
import WorkerExecutor
import WorkerHarness

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
        _ body: (WorkerHarness, HostileServer) async throws -> Void
    ) async throws {
        let server = try HostileServer(options: options, handler: Self.file.serve)
        defer { server.stop() }
        let fixture = try WorkerHarness(configure: configure)
        defer { try? FileManager.default.removeItem(atPath: fixture.root) }
        do {
            try await body(fixture, server)
        } catch {
            await fixture.executor.shutdown()
            throw error
        }
        await fixture.executor.shutdown()
    }

    @Test(
        "HTTPS works with a CA file in an inaccessible folder, directly and through a proxy's tunnel")
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
            try await run(options: options, configure: configure) { fixture, server in
                let outcome = await fixture.start(fixture.job(1, server.url("/f"))).outcome()
                #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
            }
        }
        #expect(tunnels.tunnels > 0)
    }

    @Test("Names from the hosts file and IPv6 addresses work", arguments: [false, true])
    func names(usesIPv6: Bool) async throws {
        var options = HostileServerOptions()
        options.usesIPv6 = usesIPv6
        try await run(options: options) { fixture, server in
            let url = usesIPv6 ? server.url("/f") : "http://localhost:\(server.port)/f"
            let outcome = await fixture.start(fixture.job(1, url)).outcome()
            #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
        }
    }

    @Test(
        "The destination can be on another file system",
        .enabled(if: hasOtherVolume, "/dev/shm is missing, or is the file system of temporary files"))
    func otherVolume() async throws {
        let folder = "/dev/shm/transfer-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await run { fixture, server in
            var specification = fixture.job(1, server.url("/f")).specification
            specification.destination = Destination(directory: folder + "/a/b", name: nil)
            let job = TransferJob(id: TransferID(1), specification: specification, resume: nil)
            let outcome = await fixture.start(job).outcome()
            #expect(outcome.completion?.file?.path == folder + "/a/b/f", "\(outcome)")
            #expect(fixture.contents(outcome) == Self.file.bytes)
        }
    }

    @Test("A worker receives no further transfers after the name resolution files were replaced")
    func replacedFiles() async throws {
        let pem = NSTemporaryDirectory() + "transfer-authority-\(UUID().uuidString).pem"
        defer { unlink(pem) }
        try HostileAuthority().pem.write(toFile: pem, atomically: true, encoding: .utf8)
        try await run(configure: { $0.executor.caFile = pem }) { fixture, server in
            _ = await fixture.start(fixture.job(1, server.url("/f"))).outcome()
            let first = fixture.executor.processIDs
            _ = await fixture.start(fixture.job(2, server.url("/f"))).outcome()
            #expect(fixture.executor.processIDs == first)
            try HostileAuthority().pem.write(toFile: pem + ".new", atomically: true, encoding: .utf8)
            #expect(rename(pem + ".new", pem) == 0)
            #expect(
                fixture.contents(await fixture.start(fixture.job(3, server.url("/f"))).outcome()) == Self.file.bytes)
            #expect(await WorkerHarness.eventually { Set(fixture.executor.processIDs).isDisjoint(with: first) })
        }
    }
}
