// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct ChangedFileTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test("A file that changes between two attempts is downloaded again and never mixed", arguments: [true, false])
        func changed(honoursIfRange: Bool) async throws {
            let new = ServedFile(bytes: ServedFile.content(200_000, seed: 2), entityTag: "\"v2\"")
            try await ExecutorFixture.run(handler: { request, connection in
                var request = request
                if !honoursIfRange { request.fields.removeAll { $0.name == "If-Range" } }
                new.serve(request, connection)
            }) { fixture, server in
                let old = ServedFile.content(200_000)
                let resume = try fixture.leavePartial(old[..<100_000], total: 200_000, tag: "\"v1\"")
                let (outcome, recorder) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                #expect(fixture.contents(outcome) == new.bytes)
                #expect(recorder.restarts == 1)
            }
        }

        @Test("A file that changes between the two requests of an attempt is downloaded again")
        func changedBetween() async throws {
            let new = ServedFile(bytes: ServedFile.content(30_000, seed: 2), entityTag: "\"v2\"")
            let old = ServedFile(bytes: ServedFile.content(200_000), entityTag: "\"v1\"")
            try await ExecutorFixture.run(handler: { request, connection in
                (request.range?.first == 0 ? old : new).serve(request, connection)
            }) { fixture, server in
                let (outcome, recorder) = await fixture.run(fixture.specification(server.url("/f")))
                #expect(fixture.contents(outcome) == new.bytes)
                #expect(recorder.restarts == 1)
            }
        }

        @Test(
            "A 206 response with a wrong range, size, or version is never written to the file",
            arguments: ["bytes 90000-199999/200000", "bytes 100000-200000/200001", "bytes 0-99999/200000"])
        func wrongPart(range: String) async throws {
            let file = ServedFile(bytes: ServedFile.content(200_000))
            try await ExecutorFixture.run(handler: { request, connection in
                if request.range != nil {
                    connection.respond(
                        "206 Partial Content", file.fields + ["Content-Range: \(range)"],
                        body: ServedFile.content(100_000, seed: 9))
                } else {
                    file.serve(request, connection)
                }
            }) { fixture, server in
                let resume = try fixture.leavePartial(file.bytes[..<100_000], total: 200_000, tag: "\"v1\"")
                let (outcome, _) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                #expect(fixture.contents(outcome) == file.bytes)
            }
        }

        @Test(
            "Servers without ranges or without versions receive a request for the whole file", arguments: [true, false])
        func noRanges(acceptsRanges: Bool) async throws {
            var file = ServedFile(bytes: ServedFile.content(300_000), entityTag: nil)
            file.acceptsRanges = acceptsRanges
            try await ExecutorFixture.run(handler: file.serve) { fixture, server in
                let resume = try fixture.leavePartial(file.bytes[..<100_000], total: 300_000, tag: nil)
                let (outcome, recorder) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                #expect(fixture.contents(outcome) == file.bytes)
                #expect(recorder.restarts == 1)
                #expect(server.requests.count == (acceptsRanges ? 2 : 1))
                #expect(recorder.checkpoints.allSatisfy { $0.validator == nil })
            }
        }

        @Test("A complete partial file is finished by 416, and an outdated one is downloaded again")
        func rangeNotSatisfiable() async throws {
            try await ExecutorFixture.run(handler: Self.small.serve) { fixture, server in
                let complete = try fixture.leavePartial(Self.small.bytes, total: 1000, tag: "\"v1\"")
                let (outcome, _) = await fixture.run(fixture.specification(server.url("/f")), resume: complete)
                #expect(fixture.contents(outcome) == Self.small.bytes)
                #expect(server.requests.count == 1)
                let longer = try fixture.leavePartial(ServedFile.content(2000, seed: 5), total: 2000, tag: "\"v1\"")
                let (again, _) = await fixture.run(fixture.specification(server.url("/f")), resume: longer)
                #expect(fixture.contents(again) == Self.small.bytes)
            }
        }

        @Test("A finished file is downloaded again only if the server's file has changed")
        func repeated() async throws {
            let current = Mutex(Self.small)
            try await ExecutorFixture.run(handler: { request, connection in
                current.withLock { $0 }.serve(request, connection)
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f"), collision: .overwrite)
                let first = await fixture.run(specification).0
                specification.completedBefore = first.completion?.file
                let second = await fixture.run(specification).0
                #expect(second.completion?.wasAlreadyComplete == true)
                #expect(second.completion?.file == first.completion?.file)
                #expect(server.requests.last?.value("If-None-Match") == "\"v1\"")
                current.withLock { $0 = ServedFile(bytes: ServedFile.content(500, seed: 3), entityTag: "\"v2\"") }
                let third = await fixture.run(specification).0
                #expect(fixture.contents(third)?.count == 500)
                specification.completedBefore = third.completion?.file
                specification.completedBefore?.bytes += 1
                let fourth = await fixture.run(specification).0
                #expect(fourth.completion?.wasAlreadyComplete == false)
                #expect(server.requests.last?.value("If-None-Match") == nil)
            }
        }

        @Test("With a checksum, a finished file is verified and not assumed to be correct")
        func repeatedWithChecksum() async throws {
            try await ExecutorFixture.run(handler: Self.small.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"), collision: .overwrite)
                let first = await fixture.run(specification).0
                specification.completedBefore = first.completion?.file
                specification.checksum = Checksum(algorithm: .sha256, hexDigest: String(repeating: "0", count: 64))
                #expect(await fixture.run(specification).0.failure?.cause == .checksumMismatch)
                var hasher = BodyHasher(.sha256)
                Self.small.bytes.withUnsafeBytes { hasher.update($0) }
                specification.checksum?.hexDigest = hasher.hexDigest
                #expect(fixture.contents(await fixture.run(specification).0) == Self.small.bytes)
            }
        }
    }
}
