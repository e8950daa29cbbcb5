// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@testable import PolicyLab

/// The figures of an independent study of the policy `horizon`, with plain earliest deadline first.
///
/// The recorded days may not be redistributed. `TRANSFER_TRACES` names a folder with them (`*.csv`).
@Suite struct CheckFigureTests {
    private static let folder = ProcessInfo.processInfo.environment["TRANSFER_TRACES"]
    /// The bases of the workloads: 2000, 3000, 4000, 20000, 21000, and so on; 20 for a day, and 8 for other deadlines.
    private static func bases(hours: Int) -> [UInt64] {
        (0..<UInt64(hours == 24 ? 20 : 8)).map { $0 < 3 ? 2000 + 1000 * $0 : 17_000 + 1000 * $0 }
    }

    /// The devices that are known for at least 60 % of their time, and recorded for 4 to 40 days, in order of names.
    private static func traces(in folder: String) throws -> [Trace] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".csv") }.sorted()
        return try names.map { name in
            try Trace(
                csv: Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))), device: name, file: name)
        }.filter { 1 - $0.unknownTime / $0.span >= 0.6 && (4...40).contains($0.span / 86_400) }
    }

    @Test(
        "The policy 'horizon' reproduces the figures of the study", .enabled(if: folder != nil, "no TRANSFER_TRACES"),
        arguments: [
            (6, 18.81, 0.582, 6.77, 12.09, 1.551, 1.01), (12, 8.76, 0.674, 3.51, 5.55, 1.710, 1.34),
            (24, 2.94, 0.716, 1.66, 2.56, 0.849, 1.41), (36, 0.43, 0.733, 0.89, 0.43, 0.743, 0.90),
            (48, 0.00, 0.449, 0.38, 0.00, 0.449, 0.38),
            (72, 0.00, 0.188, 0.14, 0.00, 0.188, 0.14),
        ])
    func figures(
        hours: Int, late: Double, cost: Double, regret: Double, meteredLate: Double, meteredCost: Double,
        meteredRegret: Double
    ) throws {
        let policies = try LabPolicy.list("horizon,horizon:metered=15")
        let deadline = Duration.seconds(hours * 3600)
        let devices = try Self.traces(in: #require(Self.folder)).enumerated().map { position, trace in
            DeviceEvaluation(
                trace, seeds: Self.bases(hours: hours).map { $0 + UInt64(position) }, deadlines: [deadline],
                policies: policies,
                prices: [100], settings: ReplaySettings())
        }
        #expect(devices.count == 19)
        let evaluation = Evaluation(
            devices, policies: policies.map(\.name), deadlines: [deadline], prices: [100], reference: 0, seed: 1)
        for (policy, expected) in [(late, cost, regret), (meteredLate, meteredCost, meteredRegret)].enumerated() {
            let sums = evaluation.sums(of: policy, deadline: 0)
            let found = evaluation.regret(
                evaluation.everywhere(policy), deadline: 0, price: 0, among: evaluation.all)
            #expect((100 * sums.late / sums.offered - expected.0).magnitude <= 0.02)
            #expect((sums.cost / sums.offered - expected.1).magnitude <= 0.01)
            #expect((found - expected.2).magnitude <= 0.03)
        }
    }
}
