// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import LinuxKernel
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct DownloadTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))
        private static let large = ServedFile(bytes: ServedFile.content(3_000_000))

        @Test(
            "D0: A file arrives with one request, and no files are left behind",
            arguments: [true, false])
        func plain(usesCurl: Bool) async throws {
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: Self.large.serve) {
                fixture, server in
                let (outcome, recorder) = await fixture.run(fixture.specification(server.url("/f.bin")))
                #expect(fixture.contents(outcome) == Self.large.bytes)
                #expect(outcome.completion?.status == 200)
                #expect(outcome.completion?.file?.validator?.entityTag == "\"v1\"")
                #expect(server.requests.map { $0.value("Range") } == [nil])
                #expect(server.requests[0].value("Accept-Encoding") == "identity")
                #expect(fixture.orphanedFiles.isEmpty)
                #expect(recorder.checkpoints.first?.offset == 0)
                #expect(recorder.checkpoints.first?.total == 3_000_000)
                #expect(recorder.reports.last?.outcome != nil)
                #expect(recorder.reports.count { $0.outcome != nil } == 1)
                let mode = try FileManager.default.attributesOfItem(atPath: fixture.folder + "/file")[.posixPermissions]
                #expect(mode as? Int == Int(0o666 & ~FinalAttributes.umask))
            }
        }

        @Test("Files of 0, 1, 65535, 65536, and 65537 bytes arrive", arguments: [0, 1, 65535, 65536, 65537])
        func edges(count: Int) async throws {
            let file = ServedFile(bytes: ServedFile.content(count))
            try await ExecutorFixture.run(handler: file.serve) { fixture, server in
                let outcome = await fixture.fetch(server.url("/f"))
                #expect(fixture.contents(outcome) == file.bytes)
                #expect(outcome.completion?.file?.bytes == Int64(count))
            }
        }

        @Test("A server that withholds one response delays no other transfer", arguments: [true, false])
        func withheld(usesCurl: Bool) async throws {
            let hasSecond = Monitor(false)
            let handler: HostileServer.Handler = { request, connection in
                if request.target == "/first" {
                    hasSecond.change(once: { $0 }) { _ in }
                } else {
                    hasSecond.change { $0 = true }
                }
                Self.small.serve(request, connection)
            }
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: handler) { fixture, server in
                let runs = ["first", "second"].map {
                    fixture.start(fixture.specification(server.url("/" + $0), name: $0))
                }
                for run in runs { #expect(fixture.contents(await run.recorder.outcome()) == Self.small.bytes) }
                hasSecond.change { $0 = true }
            }
        }

        @Test("A longer partial file is valid only within the same boot; a shorter or missing file lowers the offset")
        func partialFile() async throws {
            let file = ServedFile(bytes: ServedFile.content(200_000))
            try await ExecutorFixture.run(handler: file.serve) { fixture, server in
                func offset(_ change: (inout ResumePoint) throws -> Void) async throws -> Int? {
                    var resume = try fixture.leavePartial(file.bytes[..<90_000], total: 200_000, tag: "\"v1\"")
                    try change(&resume)
                    let before = server.requests.count
                    let (outcome, _) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                    #expect(fixture.contents(outcome) == file.bytes)
                    return server.requests[before].range?.first
                }
                var offsets: [Int?] = []
                offsets.append(try await offset { $0.offset = 50_000 })
                offsets.append(try await offset { ($0.offset, $0.bootID) = (50_000, BootIdentity.current) })
                offsets.append(try await offset { $0.offset = 150_000 })
                offsets.append(try await offset { try FileManager.default.removeItem(atPath: $0.path) })
                #expect(offsets == [50_000, 90_000, 90_000, nil])
            }
        }

        @Test("Checksums cover all bytes, including those of a resumed file", arguments: Checksum.Algorithm.allCases)
        func checksum(algorithm: Checksum.Algorithm) async throws {
            let file = ServedFile(bytes: ServedFile.content(200_000))
            var hasher = BodyHasher(algorithm)
            file.bytes.withUnsafeBytes { hasher.update($0) }
            let right = hasher.hexDigest
            try await ExecutorFixture.run(handler: file.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.checksum = Checksum(algorithm: algorithm, hexDigest: right.uppercased())
                #expect(fixture.contents(await fixture.run(specification).0) == file.bytes)
                let good = try fixture.leavePartial(file.bytes[..<100_000], total: 200_000, tag: "\"v1\"")
                #expect(fixture.contents(await fixture.run(specification, resume: good).0) == file.bytes)
                let bad = try fixture.leavePartial(ServedFile.content(100_000, seed: 7), total: 200_000, tag: "\"v1\"")
                let (outcome, _) = await fixture.run(specification, resume: bad)
                #expect(outcome.failure?.cause == .checksumMismatch)
                #expect(outcome.resume == nil)
                #expect(!FileManager.default.fileExists(atPath: bad.path))
                specification.checksum?.hexDigest = String(repeating: "0", count: right.count)
                #expect(await fixture.run(specification).0.failure?.cause == .checksumMismatch)
                #expect(fixture.orphanedFiles.isEmpty)
            }
        }

        @Test("The remote modification time is applied on request")
        func remoteTime() async throws {
            let file = ServedFile(bytes: [1, 2, 3], lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
            try await ExecutorFixture.run(handler: file.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.usesRemoteTime = true
                let outcome = await fixture.run(specification).0
                #expect(outcome.completion?.file?.modified == 784_111_777_000_000_000)
            }
        }
    }
}
