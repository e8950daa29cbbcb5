// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import PolicyLab

@Suite("Donated recordings")
struct DonationTests {
    /// 2026-11-26, a Thursday, 09:00 UTC.
    private static let thursday = WallTime(secondsSinceEpoch: 1_795_683_600)

    private static func date(_ seconds: Int64) -> WallTime { thursday.advanced(by: .seconds(seconds)) }

    private static var trace: Trace {
        let segments = [
            Trace.Segment(
                start: date(0), end: date(100), power: .battery, network: .wifi, level: 0.83, rate: 1_234_567),
            Trace.Segment(start: date(100), end: date(200), power: .battery, network: .wifi, level: 0.84),
            Trace.Segment(start: date(200), end: date(100_000), power: .ac, network: .cell, metered: true),
        ]
        return Trace(device: "annas-laptop", segments: segments)!
    }

    private static var jobs: [Job] {
        [
            Job(
                id: 77, arrival: date(150), bytes: 123_456, deadline: date(3750), app: "org.secret.App",
                host: "https://secret.example"),
            Job(id: 12, arrival: date(-10), bytes: 99, deadline: nil, app: "org.other", host: "https://secret.example"),
            Job(id: 5, arrival: date(100_000), bytes: 5, deadline: nil),
        ]
    }

    private static func donation(offset: Int64 = 3600) -> Donation? {
        Donation(trace: trace, jobs: jobs, name: "laptop-1", zoneOffset: offset)
    }

    private static func check(_ donation: Donation, _ change: (inout Trace, inout [Job]) -> Void = { _, _ in })
        -> DonationCheck
    {
        var (trace, jobs) = (donation.trace, donation.jobs)
        change(&trace, &jobs)
        let description = donation.files.first { $0.name == Donation.descriptionName }?.text
        return DonationCheck(
            traces: [trace], workload: Workload(devices: [.init(name: trace.device, jobs: jobs)]),
            description: description, otherFiles: [])
    }

    @Test("Times move by whole weeks to local time in the week of 2001-01-01")
    func times() throws {
        let donation = try #require(Self.donation())
        // Thursday 10:00 in the zone of the machine.
        #expect(donation.trace.start.secondsSinceEpoch == Donation.epoch + 3 * 86_400 + 10 * 3600)
        #expect(donation.trace.span == Self.trace.span)
        let shift = Self.trace.start.duration(to: donation.trace.start).components.seconds - 3600
        #expect(shift % Donation.week == 0)
        // Before the epoch and across the date line.
        let west = try #require(Self.donation(offset: -11 * 3600))
        #expect(west.trace.start.secondsSinceEpoch == Donation.epoch + 2 * 86_400 + 22 * 3600)
    }

    @Test("Names, rates, and exact sizes are gone; equal periods become one")
    func anonymous() throws {
        let donation = try #require(Self.donation())
        #expect(donation.trace.segments.map(\.level) == [0.85, nil])
        #expect(donation.trace.segments.allSatisfy { $0.rate == nil })
        #expect(donation.jobs.map(\.id) == [1, 2])
        #expect(donation.jobs.map(\.bytes) == [99, 120_000])
        #expect(donation.jobs.first?.arrival == donation.trace.start)
        #expect(donation.jobs.map(\.app) == ["app-1", "app-2"])
        #expect(donation.jobs.map(\.host) == ["host-1", "host-1"])
        let job = try #require(donation.jobs.last)
        #expect(job.deadline.map { job.arrival.duration(to: $0) } == .seconds(3600))
        let text = donation.files.map(\.text).joined()
        for secret in ["secret", "other", "annas", "1795", "123456", "1234567"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(donation.files.map(\.name) == ["laptop-1.csv", "workload.csv", "README.md"])
    }

    @Test("Sizes have two digits, and rounding twice changes nothing")
    func sizes() {
        let sizes: [(Int64, Int64)] = [
            (0, 0), (1, 1), (99, 99), (100, 100), (104, 100), (105, 110), (994, 990), (995, 1000), (1999, 2000),
            (1 << 60, 1_200_000_000_000_000_000),
        ]
        for (size, rounded) in sizes {
            #expect(Donation.rounded(size) == rounded)
            #expect(Donation.rounded(rounded) == rounded)
        }
    }

    @Test("A donation is read back, holds what was written, and has no faults")
    func checked() throws {
        let donation = try #require(Self.donation())
        let files = Dictionary(uniqueKeysWithValues: donation.files.map { ($0.name, Array($0.text.utf8)) })
        let trace = try Trace(csv: files["laptop-1.csv"] ?? [], device: "laptop-1", file: "laptop-1.csv")
        let workload = try Workload(csv: files["workload.csv"] ?? [], file: "workload.csv")
        let check = DonationCheck(
            traces: [trace], workload: workload,
            description: String(decoding: files["README.md"] ?? [], as: UTF8.self), otherFiles: [])
        #expect(check.faults == [])
        #expect(check.contents.count == 2)
        #expect(check.contents[0].hasPrefix("laptop-1: 1.2 days, 2 periods, known for 100 % of the time"))
        #expect(check.contents[1].hasPrefix("2 transfers of 0 MB"))
        let text = check.disclosures.joined(separator: "\n")
        #expect(text.contains("1 times without an unmetered network for more than 12 h, 28 h at most"))
        #expect(text.contains("2 apps and 1 servers"))
        #expect(text.contains("mobile network"))
    }

    @Test("Whatever should not be in a donation is a fault")
    func faults() throws {
        let donation = try #require(Self.donation())
        func faults(_ change: (inout Trace, inout [Job]) -> Void) -> [String] { Self.check(donation, change).faults }
        #expect(faults { _, _ in } == [])
        #expect(faults { _, jobs in jobs[0].app = "org.secret.App" }.first?.contains("'org.secret.App'") == true)
        #expect(faults { _, jobs in jobs[1].host = "host-x" }.first?.contains("'host-x'") == true)
        #expect(faults { _, jobs in jobs[0].bytes = 12_345 }.first?.contains("12345") == true)
        #expect(faults { trace, _ in trace = Self.trace }.contains { $0.contains("dates may be real") })
        #expect(faults { trace, _ in trace = Self.trace }.contains { $0.contains("0.83") })
        #expect(faults { trace, _ in trace = Self.trace }.contains { $0.contains("rates") })
        let bare = DonationCheck(
            traces: [donation.trace], workload: nil, description: nil, otherFiles: ["notes.txt"])
        #expect(bare.faults.count == 2 && bare.faults[1].hasPrefix("notes.txt"))
    }
}
