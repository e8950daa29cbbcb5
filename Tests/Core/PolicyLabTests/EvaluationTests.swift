// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import PolicyLab

@Suite struct EvaluationTests {
    private typealias Sums = DeviceEvaluation.Sums

    private static func sums(_ offered: Double, late: Double, cost: Double) -> Sums {
        var sums = Sums()
        (sums.offered, sums.late, sums.cost) = (offered, late, cost)
        return sums
    }

    /// Devices with 100 MB, one deadline, and the late megabytes and costs of two policies.
    private static func evaluation(_ rows: [(a: (Double, Double), b: (Double, Double))], prices: [Double]) -> Evaluation
    {
        let devices = rows.enumerated().map { number, row in
            DeviceEvaluation(
                device: "\(number)",
                sums: [[sums(100, late: row.a.0, cost: row.a.1), sums(100, late: row.b.0, cost: row.b.1)]],
                optima: [prices.map { _ in 0 }])
        }
        return Evaluation(
            devices, policies: ["a", "b"], deadlines: [.seconds(3600)], prices: prices, reference: 0, seed: 1)
    }

    @Test("The break-even price is the price at which both policies cost the same")
    func breakEven() {
        func of(_ b: (Double, Double)) -> Evaluation.BreakEven {
            Self.evaluation([(a: (4, 10), b: b)], prices: [1]).breakEven(of: 1, deadline: 0)
        }
        #expect(of((2, 30)) == .above(10))
        #expect(of((6, 4)) == .below(3))
        #expect(of((2, 9)) == .always)
        #expect(of((6, 11)) == .never)
        #expect(of((4, 9)) == .always)
        #expect(of((4, 11)) == .never)
        #expect(of((4, 10)) == .equal)
    }

    @Test("The policy for a device is chosen by the other devices, and scored on the device")
    func leftOut() {
        // Policy b is best on all devices together only because of device 0.
        let evaluation = Self.evaluation(
            [(a: (10, 0), b: (0, 0)), (a: (1, 0), b: (2, 0)), (a: (1, 0), b: (2, 0))], prices: [1, 100])
        for price in 0...1 {
            let choice = evaluation.choice(price: price)
            #expect(choice.best == 1)
            #expect(choice.leftOut == [0, 1, 1])
        }
        #expect(evaluation.comparison(evaluation.choice(price: 0).leftOut, price: 0).regret == 14.0 / 300)
        #expect(evaluation.comparison([1, 1, 1], price: 1).regret == 400.0 / 300)
    }

    @Test("The JSON form has the protocol, all sums, and all comparisons of the tables")
    func json() throws {
        let evaluation = Self.evaluation([(a: (4, 10), b: (2, 30)), (a: (4, 10), b: (2, 30))], prices: [1, 100])
        let text = evaluation.json(order: "deadline", bases: [2000]).document
        let words = text.split(separator: "\n").map { $0.drop { $0 == " " }.drop { $0 == "," } }
        func count(_ line: String) -> Int { words.count { $0 == line || $0 == line + "," } }
        #expect(count("\"order\": \"deadline\"") == 1)
        #expect(count("\"reference\": \"a\"") == 1)
        #expect(count("\"late_mb\": 4.0") == 3)  // of a by device, and of b pooled
        #expect(count("\"late_mb\": 8.0") == 1)  // of a pooled
        #expect(count("\"above\": 10.0") == 1)
        // 0.02·100 + 0.3 less 0.04·100 + 0.1, by deadline, on average, and as the choice of the other devices.
        let differences = words.filter {
            $0.hasPrefix("\"difference\": -1.8") || $0.hasPrefix("\"difference\": -1.79999")
        }
        #expect(differences.count == 3)
        #expect(count("\"best\": \"a\"") == 1)
        #expect(count("\"best\": \"b\"") == 1)
    }

    @Test("A comparison begins with the best policy, its lead with an interval, and the prices at which others win")
    func conclusion() {
        let rows = (0..<9).map { _ in (a: (4.0, 10.0), b: (2.0, 30.0)) }
        #expect(
            Self.evaluation(rows, prices: [1, 20, 300]).conclusion
                == "If a late megabyte costs 20, b is best here: a megabyte costs 0.200 less than with a, the next "
                + "(95 % interval: 0.200 to 0.200); below 10, a is better.")
        #expect(
            Self.evaluation([(a: (4, 10), b: (2, 30))], prices: [5]).conclusion
                == "If a late megabyte costs 5, a is best here, but not surely: a megabyte costs 0.100 less than with b, "
                + "the next (one device has no interval); above 10, b is better.")
        let alike = [(a: (4.0, 10.0), b: (4.0, 10.0))]
        #expect(Self.evaluation(alike, prices: [5]).conclusion?.hasPrefix("These policies have the same cost") == true)
        let results = [("c", 0.1, 0.0), ("b", 0.1, 0.0), ("a", 0.2, 0.1)].map {
            Conclusion.Result(name: $0.0, late: $0.1, cost: $0.2)
        }
        let sentence = Conclusion(results: results, price: 100).sentence { _, _ in -1...2 }
        #expect(sentence?.hasPrefix("If a late megabyte costs 100, c and b are best here, but not surely: ") == true)
        #expect(
            sentence?.hasSuffix("the next (95 % interval: -1.000 to 2.000); no other policy is better at any price.")
                == true)
        #expect(Conclusion(results: Array(results.prefix(1)), price: 1).sentence { _, _ in nil } == nil)
    }

    @Test("Differences are paired: a constant difference has an interval of width zero")
    func paired() throws {
        let rows = (0..<9).map { number in (a: (Double(number * number), 3.0), b: (Double(number * number) + 1, 3.0)) }
        let evaluation = Self.evaluation(rows, prices: [100])
        let interval = try #require(
            evaluation.comparison(Array(repeating: 1, count: 9), deadline: 0, price: 0).interval)
        #expect((interval.lowerBound - 1).magnitude < 1e-9 && (interval.upperBound - 1).magnitude < 1e-9)
        let mean = try #require(evaluation.comparison(Array(repeating: 1, count: 9), price: 0).interval)
        #expect((mean.lowerBound - 1).magnitude < 1e-9 && (mean.upperBound - 1).magnitude < 1e-9)
    }

    @Test("A device's sums are the sums of single replays over all workloads")
    func device() throws {
        var generator = LabGenerator(seed: 7)
        let trace = generator.trace(segments: 120)
        let deadline = Duration.seconds(12 * 3600)
        var settings = ReplaySettings()
        let policies = try LabPolicy.list("unmetered,horizon:floor=2")
        let evaluated = DeviceEvaluation(
            trace, seeds: [5, 6], deadlines: [.seconds(3600), deadline], policies: policies, prices: [10, 100],
            settings: settings)
        settings.penalty = 10
        for (number, policy) in policies.enumerated() {
            var (late, cost, optimum) = (0.0, 0.0, 0.0)
            for seed in UInt64(5)...6 {
                let jobs = WorkloadGenerator.jobs(for: trace, seed: seed, deadline: deadline)
                #expect(!jobs.isEmpty)
                let best = Optimum(trace, jobs: jobs, settings: settings)
                let summary = Summary(
                    [try Days.replay(trace, jobs, policy.name, settings)], optima: [best], settings: settings)
                late += (summary.lateBytes + summary.undoneBytes) / 1e6
                cost += summary.onTimeCost
                optimum += best.cost
            }
            let sums = evaluated.sums[1][number]
            #expect((sums.late - late).magnitude < 1e-6 && (sums.cost - cost).magnitude < 1e-6, "\(policy.name)")
            #expect((evaluated.optima[1][0] - optimum).magnitude < 1e-6)
        }
    }

    @Test("The tables have a row for each deadline and policy, and for each price")
    func tables() {
        let evaluation = Self.evaluation([(a: (4, 10), b: (2, 30)), (a: (4, 10), b: (4, 10))], prices: [10, 100])
        let tables = evaluation.tables.map(\.table)
        #expect(
            tables[0].rows == [
                ["1 h", "a", "4.00", "0.100", "0.50", "4.10", "-"],
                ["1 h", "b", "3.00", "0.200", "0.50", "3.20", "above 10.0"],
            ])
        #expect(tables[1].rows.map { $0[1] } == ["b"])
        #expect(tables[2].rows.map { $0[1] } == ["a", "b", "a", "b"])
        #expect(tables[3].rows.map { $0[1] } == ["a", "b"])
        #expect(tables[3].rows[1][2] == "a ×1, b ×1")
    }
}
