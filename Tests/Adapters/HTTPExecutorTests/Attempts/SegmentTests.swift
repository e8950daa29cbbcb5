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

/// A barrier that opens once a number of threads have arrived.
private final class Rendezvous: @unchecked Sendable {
    // Guard: `condition`, for `count`.
    private let condition = NSCondition()
    private let size: Int
    private var count = 0

    init(size: Int) { self.size = size }

    /// Waits at the barrier for at most 10 s and returns the arrival's number, from 1. Later arrivals pass immediately.
    func arrive() -> Int {
        condition.withLock {
            count += 1
            let mine = count
            condition.broadcast()
            while count < size, condition.wait(until: Date(timeIntervalSinceNow: 10)) {}
            return mine
        }
    }
}

extension ExecutorTests {
    /// Tests of a single file over several connections.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct SegmentTests: SegmentedDownloads {
        @Test("Four connections download the whole file, each a separate part", arguments: [true, false])
        func four(usesCurl: Bool) async throws {
            let rendezvous = Rendezvous(size: 4)
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { request, connection in
                    Self.file.serve(request, connection, first: 1000) { _ = rendezvous.arrive() }
                }
            ) { fixture, server in
                var specification = specification(fixture, server)
                var hasher = BodyHasher(.sha256)
                Self.file.bytes.withUnsafeBytes { hasher.update($0) }
                specification.checksum = Checksum(algorithm: .sha256, hexDigest: hasher.hexDigest)
                let (outcome, recorder) = await fixture.run(specification)
                #expect(isRight(fixture, outcome), "\(outcome)")
                #expect(outcome.completion?.status == 200)
                #expect(server.requests[0].range == nil)
                let three = ranges(server.requests).prefix(3).sorted { $0.lowerBound < $1.lowerBound }
                #expect(three.first?.lowerBound == Self.file.bytes.count / 4)
                #expect(three.last?.upperBound == Self.file.bytes.count)
                #expect(zip(three, three.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
                #expect(recorder.reports.last?.outcome != nil && recorder.restarts == 0)
                #expect(recorder.checkpoints.allSatisfy { $0.extents != nil })
                #expect(fixture.orphanedFiles.isEmpty)
            }
        }

        enum Fault: CaseIterable {
            case cut, reset, empty, stall, whole, otherWhole, otherRange, otherTotal, otherTag, encoded, busy, tooMany
            case forbidden, redirect, shorter, gone

            func answer(_ file: ServedFile, _ request: HostileRequest, _ connection: HostileConnection) {
                let (status, fields, body) = file.response(to: request)
                switch self {
                case .cut:
                    file.serve(request, connection, onlyBytes: 200_000)
                    connection.finish()
                case .reset:
                    file.serve(request, connection, onlyBytes: 200_000)
                    connection.reset()
                case .empty: connection.finish()
                case .stall:
                    file.serve(request, connection, onlyBytes: 200_000)
                    connection.waitForClient()
                case .whole: connection.respond("200 OK", file.fields, body: file.bytes)
                case .otherWhole: connection.respond("200 OK", ["ETag: \"v2\""], body: [1, 2, 3])
                case .otherRange:
                    let line = "Content-Range: bytes 1-\(body.count)/\(file.bytes.count)"
                    connection.respond(status, file.fields + [line], body: body)
                case .otherTotal:
                    let line = "Content-Range: bytes \(body.startIndex)-\(body.endIndex - 1)/\(file.bytes.count + 1)"
                    connection.respond(status, file.fields + [line], body: body)
                case .otherTag:
                    connection.respond(
                        status, ["ETag: \"v2\""] + fields.filter { $0.hasPrefix("Content-Range") }, body: body)
                case .encoded: connection.respond(status, fields + ["Content-Encoding: gzip"], body: body)
                case .busy: connection.respond("503 Service Unavailable", ["Retry-After: 9"])
                case .tooMany: connection.respond("429 Too Many Requests")
                case .forbidden: connection.respond("403 Forbidden", body: [UInt8](repeating: 1, count: 100_000))
                case .redirect: connection.respond("302 Found", ["Location: /elsewhere"])
                case .shorter:
                    let part = body.prefix(100_000)
                    let line = "Content-Range: bytes \(part.startIndex)-\(part.endIndex - 1)/\(file.bytes.count)"
                    connection.respond(status, file.fields + [line], body: part)
                case .gone: connection.respond("404 Not Found")
                }
            }
        }

        @Test(
            "D0: a segment that is refused or goes wrong costs the segment, never the transfer",
            arguments: Fault.allCases,
            [true, false])
        func fault(fault: Fault, usesCurl: Bool) async throws {
            let rendezvous = Rendezvous(size: 4)
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { request, connection in
                    let isSegment = request.range != nil && request.target != "/elsewhere"
                    if isSegment, rendezvous.arrive() == 2 { return fault.answer(Self.file, request, connection) }
                    Self.file.serve(request, connection, first: 1000) { if !isSegment { _ = rendezvous.arrive() } }
                }
            ) { fixture, server in
                var specification = specification(fixture, server)
                specification.idleTimeoutSeconds = 2
                let (outcome, recorder) = await fixture.run(specification)
                #expect(isRight(fixture, outcome), "\(outcome)")
                #expect(recorder.restarts == 0)
                #expect(fixture.orphanedFiles.isEmpty)
            }
        }

        @Test("A single connection is used if more are not worthwhile, not safe, or not allowed")
        func oneIsEnough() async throws {
            let small = ServedFile(bytes: Array(Self.file.bytes[..<4_000_000]))
            let weak = ServedFile(bytes: Self.file.bytes, entityTag: "W/\"v1\"")
            let cases = [(small, 4), (weak, 4), (Self.file, 1)]
            for (file, connections) in cases {
                try await ExecutorFixture.run(handler: file.serve) { fixture, server in
                    let (outcome, _) = await fixture.run(specification(fixture, server, connections: connections))
                    #expect(isRight(fixture, outcome, file))
                    #expect(server.requests.map { $0.value("Range") } == [nil])
                }
            }
        }
    }
}
