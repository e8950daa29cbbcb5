// SPDX-License-Identifier: Apache-2.0
import CurlTransport
import ExecutorHarness
import Foundation
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

struct StandstillTests {
    private static let second: UInt64 = 1_000_000_000

    /// Returns an attempt that has been waiting for its server since second 100, and its reports.
    private func waiting(
        lowSpeedSeconds: Int = 300, idleSeconds: Int = 20
    ) throws -> (attempt: DownloadAttempt, recorder: Recorder) {
        var configuration = HTTPExecutorConfiguration(partialDirectory: "/nonexistent")
        configuration.lowSpeedSeconds = lowSpeedSeconds
        let traits = TransferTraits(kind: .normal, host: "h", submitted: WallTime(secondsSinceEpoch: 0))
        let specification = TransferSpecification(
            url: "http://h/f", destination: Destination(directory: "/nonexistent", name: "f"),
            idleTimeoutSeconds: idleSeconds, traits: traits)
        let recorder = Recorder()
        let attempt = DownloadAttempt(
            AttemptContext(
                job: TransferJob(id: TransferID(1), specification: specification, resume: nil),
                environment: try ExecutorEnvironment(configuration: configuration, transport: .curl),
                report: recorder.report))
        attempt.sync {
            $0.exchange = Exchange(receiver: $0)
            $0.stallDetector.begin(now: 100 * Self.second)
        }
        return (attempt, recorder)
    }

    private func tick(_ attempt: DownloadAttempt, seconds: ClosedRange<UInt64>) {
        attempt.sync { for now in seconds { $0.tick(now: now * Self.second) } }
    }

    @Test("Time while the process was stopped does not count as idle; later time does")
    func idle() throws {
        let (attempt, recorder) = try waiting()
        tick(attempt, seconds: 101...105)
        tick(attempt, seconds: 1105...1119)
        #expect(!recorder.isEnded)
        tick(attempt, seconds: 1120...1121)
        #expect(recorder.reports.compactMap(\.outcome).first?.failure?.cause == .timeout)
    }

    @Test("Limits of any size are limits, and none ends the process", arguments: [Int.max, 1 << 40])
    func extremeLimits(seconds: Int) throws {
        let (attempt, recorder) = try waiting(lowSpeedSeconds: seconds, idleSeconds: seconds)
        tick(attempt, seconds: 101...105)
        #expect(!recorder.isEnded)
    }

    @Test("Time while the process was stopped does not make a server too slow")
    func slow() throws {
        let (attempt, recorder) = try waiting(lowSpeedSeconds: 10)
        tick(attempt, seconds: 101...105)
        tick(attempt, seconds: 1105...1109)
        #expect(!recorder.isEnded)
        tick(attempt, seconds: 1110...1111)
        #expect(recorder.reports.compactMap(\.outcome).first?.failure?.cause == .tooSlow)
    }

    @Test("A silent server times out if the process was not stopped")
    func steady() throws {
        let (attempt, recorder) = try waiting()
        tick(attempt, seconds: 101...119)
        #expect(!recorder.isEnded)
        tick(attempt, seconds: 120...120)
        #expect(recorder.reports.compactMap(\.outcome).first?.failure?.cause == .timeout)
    }
}
