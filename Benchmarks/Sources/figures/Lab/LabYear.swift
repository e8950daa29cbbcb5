// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab
import TransferModel
import TransferPolicy

/// Measures the replay of one device's year under one policy.
///
/// The days are synthetic and shaped like real days. A day has about thirty changes of power and network with
/// heavy-tailed lengths, each with its own battery level. A transfer arrives every two hours on average and has one
/// day. The measurement excludes the reading of files and the comparison of results.
enum LabYear {
    private static let policies = ["default", "ladder", "strict", "unmetered"]

    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let devices = try (0..<(options.isQuick ? 2 : 6)).map { try device(UInt64(2026 + $0)) }
        var milliseconds: [[Double]] = policies.map { _ in [] }
        for round in 0...options.rounds {
            for (index, name) in policies.enumerated() {
                let spent = try devices.map { try replay($0, name) }.reduce(0, +)
                // The first round is a warm-up.
                if round > 0 { milliseconds[index].append(spent / Double(devices.count)) }
            }
        }
        return policies.indices.map { index in
            BenchmarkResult(
                name: "lab-year \(policies[index])", ours: Spread(milliseconds[index]), unit: "ms a year of a device",
                bar: 25, isBarAbsolute: true)
        }
    }

    private static func device(_ seed: UInt64) throws -> DeviceCase {
        guard let wifi = Alternation(share: 0.65, meanOff: 2400, shape: 0.55),
            let acPower = Alternation(share: 0.4, meanOff: 4 * 3600, shape: 0.55)
        else { throw BenchmarkError("invalid parameters of the renewal model") }
        var model = RenewalModel(wifi: wifi)
        model.acPower = acPower
        let start = WallTime(secondsSinceEpoch: 1_700_000_000)
        var chance = SplitMix64(seed: seed)
        let generatedTrace = model.trace(device: "\(seed)", days: 365, start: start, seed: seed)
        // The segments have battery levels, because decisions that depend on the level are the larger part of the
        // work.
        let segments = generatedTrace?.segments.map { segment in
            var segment = segment
            segment.level = Double(chance.next() % 101) / 100
            return segment
        }
        guard let segments, let trace = Trace(device: "\(seed)", segments: segments) else {
            throw BenchmarkError("cannot generate days")
        }
        return DeviceCase(name: trace.device, trace: trace, jobs: WorkloadGenerator.jobs(for: trace, seed: seed))
    }

    /// Returns the milliseconds of this thread's processor time for a replay.
    private static func replay(_ device: DeviceCase, _ name: String) throws -> Double {
        let settings = ReplaySettings()
        guard let policy = try LabPolicy(name).policy else {
            throw BenchmarkError("\(name) cannot be replayed")
        }
        let start = LabEvents.threadTime()
        var replay = Replay(device.trace, jobs: device.jobs, policy: policy, settings: settings)
        let outcome = replay.run()
        let end = LabEvents.threadTime()
        precondition(outcome.jobs.count == device.jobs.count)
        return (end - start) * 1000
    }
}
