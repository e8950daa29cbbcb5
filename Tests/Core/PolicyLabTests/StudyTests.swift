// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite struct StudyTests {
    private static let settings = Days.slow

    private func study(_ names: [String] = ["immediate", "strict", "oracle"], devices: Int = 2) throws -> Study {
        let traces = ["bbAA", "AAdd", "dAb-"].prefix(devices).map { Days.trace($0) }
        let jobs = [Days.job(0, bytes: 150, by: 300), Days.job(1, at: 50, bytes: 100, by: 250)]
        let optima = traces.map { Optimum($0, jobs: jobs, settings: Self.settings) }
        let results = try names.map { name -> Study.Result in
            guard try !LabPolicy(name).isOptimum else { return (name, nil) }
            return (name, try traces.map { try Days.replay($0, jobs, name, Self.settings) })
        }
        return Study(
            results, devices: (0..<devices).map { "d\($0)" }, optima: optima, settings: Self.settings, seed: 1)
    }

    @Test("Shares and costs refer to all submitted bytes, for one device and for all")
    func metrics() throws {
        let lines = try study().lines
        // d0 is on battery for 200 s, then on AC. Immediate: all bytes are on time, 200 of them at price 1.
        let first = lines[0].devices[0]
        #expect(first.onTimeBytes == [50, 200, 0, 0])
        #expect((first.onTimeCostPerMegabyte! - 0.8).magnitude < 1e-12)
        #expect(first.lateShare == 0 && first.missed == 0 && first.done == 2)
        // Strict: the second job runs from 200 to 250 on time, then late. The first job runs from 300 on, late.
        let strict = lines[1].devices[0]
        #expect(strict.onTimeBytes == [50, 0, 0, 0])
        #expect(strict.lateBytes == 150 && strict.undoneBytes == 50)
        #expect(strict.lateShare == 0.8 && strict.missed == 2 && strict.done == 1)
        #expect((strict.costWithPenalty - 200 * 100 / 1e6).magnitude < 1e-12)
        #expect(lines[1].pooled.offeredBytes == 500)
        let optimum = lines[2].pooled
        #expect(optimum.isOptimum && optimum.costWithPenalty == optimum.optimalCost)
        #expect(lines.allSatisfy { $0.pooled.regretPerMegabyte! >= -1e-12 })
        #expect(lines[2].pooled.regretPerMegabyte! == 0)
    }

    @Test("A percentile is the value at a share of the sorted values")
    func quantiles() {
        #expect(Summary.quantile([1, 2, 3, 4], 0.5) == 3)
        #expect(Summary.quantile([1, 2, 3, 4], 0.95) == 4)
        #expect(Summary.quantile([1, 2, 3, 4], 1) == 4)
        #expect(Summary.quantile([], 0.5) == nil)
    }

    @Test("All policies share the draws of the intervals; a single device has no interval")
    func intervals() throws {
        let lines = try study(devices: 3).lines
        let interval = try #require(lines[1].lateShareInterval)
        #expect(interval.lowerBound <= lines[1].pooled.lateShare && lines[1].pooled.lateShare <= interval.upperBound)
        #expect(lines[0].lateShareDifference == nil)
        #expect(lines[1].lateShareDifference != nil)
        #expect(try study(devices: 1).lines[0].costInterval == nil)
        let again = try study(devices: 3)
        #expect(again.lines[1].lateShareInterval == interval)
    }

    @Test("The table is sorted and aligned, and its last line states the lower bound")
    func table() throws {
        let study = try study()
        let lines = study.table(sortedBy: .late).lines
        #expect(lines[0].hasPrefix("policy     late %"))
        #expect(lines.map { $0.prefix { $0 != " " } } == ["policy", "immediate", "oracle", "strict"])
        let conclusion = try #require(study.conclusion)
        #expect(conclusion.hasPrefix("If a late megabyte costs 100, immediate is best here: "), "\(conclusion)")
        #expect(conclusion.contains("than with strict, the next (95 % interval: "), "\(conclusion)")
        #expect(try self.study(["strict", "oracle"]).conclusion == nil)
        #expect(study.table(sortedBy: .name).lines[1].hasPrefix("immediate"))
        #expect(study.table(sortedBy: .cost).lines[1].hasPrefix("strict"))
        #expect(
            study.lowerBoundSummary
                == "Lower bound on late bytes: 0.00 % on any network, 10.00 % without metered networks.")
    }

    @Test("JSON has stable keys; the optimum has no metrics of single jobs")
    func json() throws {
        let text = try study().json.document
        for key in [
            "policies", "name", "devices", "device", "jobs", "done", "missed", "activations", "offered_bytes",
            "on_time_bytes", "ac+wifi", "battery+wifi", "ac+cell", "battery+cell", "late_bytes", "undone_bytes",
            "on_time_cost_per_mb", "cost_with_penalty", "delay_p50_s", "delay_p95_s", "pooled",
        ] {
            #expect(text.contains("\"\(key)\": "), "\(key)")
        }
        #expect(text.components(of: "\"activations\"") == 6)
        #expect(JSONValue.number(.nan).document == "null\n")
        #expect(JSONValue.text("a\"\\\n\u{1}é").document == "\"a\\\"\\\\\\n\\u0001é\"\n")
        #expect(JSONValue.object([]).document + JSONValue.list([]).document == "{}\n[]\n")
    }

    @Test("CSV results have one row per policy and device, and one row for all devices")
    func csv() throws {
        let rows = try study().csv.split(separator: "\n").map { $0.split(separator: ",").prefix(2) }
        #expect(
            rows.map { $0.joined(separator: " ") } == [
                "policy device", "immediate d0", "immediate d1", "immediate *", "strict d0", "strict d1", "strict *",
                "oracle d0", "oracle d1", "oracle *",
            ])
    }

    @Test("An unknown policy is reported with the known ones; a list is split at commas")
    func names() throws {
        let error = #expect(throws: PolicyNameError.self) { try LabPolicy("orakel") }
        #expect(error?.description.contains("oracle") == true)
        #expect(try LabPolicy.list("strict,ladder:bat=0:cell=inf,oracle").map(\.name).count == 3)
        #expect(throws: PolicyNameError.self) { try LabPolicy.list("strict,") }
    }

    @Test("The history of a job has the reasons of each waiting period")
    func history() throws {
        let trace = Days.trace("b?A")
        var replay = Replay(
            trace, jobs: [Days.job(4, at: 10, bytes: 50, by: 900)], policy: StrictPolicy(), settings: Self.settings)
        var history = JobHistory(of: replay.transferID(ofJob: 4)!, on: trace)
        let outcome = replay.run { history.record($0, at: $1) }
        history.close(at: try #require(outcome.jobs[0].finished))
        #expect(history.spans.map(\.state) == ["on battery", "not recorded", "running"])
        #expect(history.spans.map(\.start) == [Days.date(10), Days.date(100), Days.date(200)])
        #expect(history.spans.last?.end == Days.date(250))
        let unknown = replay.transferID(ofJob: 5)
        #expect(unknown == nil)
    }

    @Test("A timeline has one letter per part of a day, below an axis of the hours")
    func timeline() throws {
        let start = WallTime(secondsSinceEpoch: 86_400)
        func at(_ hours: Int64) -> WallTime { start.advanced(by: .seconds(hours * 3600)) }
        let trace = try #require(
            Trace(
                device: "d",
                segments: [
                    .init(start: at(6), end: at(12), power: .ac, network: .wifi),
                    .init(start: at(12), end: at(15), power: .battery, network: .cell),
                    .init(start: at(18), end: at(26), power: .battery, network: .ethernet, isSuspended: true),
                ]))
        let activity = [DeviceOutcome.Activity(job: 0, start: at(7), end: at(8))]
        #expect(
            TimelineText.lines(trace, activity, columns: 8) == [
                "1970-01-02  00  12", "transfers     #", "power         AAb?bb", "network       wwc?zz",
                "1970-01-03  00  12", "transfers", "power       b", "network     z",
            ])
    }

    @Test("The hours of a timeline stand above their columns, as many as fit")
    func hours() {
        let trace = Days.trace("A")
        func axis(_ columns: Int) -> String { String(TimelineText.lines(trace, [], columns: columns)[0].dropFirst(12)) }
        #expect(axis(24) == "00 03 06 09 12 15 18 21")
        #expect(axis(96).split(separator: "  ").map(String.init) == (0..<24).map { $0 < 10 ? "0\($0)" : "\($0)" })
        #expect(axis(96).dropFirst(13 * 4).prefix(2) == "13")
        #expect(axis(5) == "")
    }

    @Test("The deadlines of a study are the times from arrival to deadline")
    func deadlines() throws {
        #expect(try study().deadlines == 200...300)
        #expect(try study(["oracle"]).deadlines == nil)
        #expect(Study.shortDuration(86_400) == "24 h" && Study.shortDuration(5400) == "90 min")
        #expect(Study.shortDuration(4.5 * 3600) == "4.5 h" && Study.shortDuration(0.4) == "0 s")
    }

    @Test("Traces that record too little of the time cause a warning")
    func coverage() throws {
        func device(_ known: Double) -> Coverage.Device { Coverage.Device(span: 100, unknown: 100 - known) }
        #expect(Coverage([]) == nil && Coverage([Coverage.Device(span: 0, unknown: 0)]) == nil)
        #expect(Coverage([device(60), device(100)])?.warning == nil)
        let warning = try #require(Coverage([device(59), device(100), device(15)])?.warning)
        #expect(warning.hasPrefix("2 of 3 traces record power and network for less than 60 % of the time"))
        #expect(warning.contains("all traces together for 58 %") && warning.contains("--min-known 60%"))
        #expect(Coverage([device(12)])?.warning?.hasPrefix("The trace records power and network for only 12 %") == true)
        #expect(try study().coverage?.knownShare == 1)
        #expect(try study(["oracle"]).coverage == nil)
    }

    @Test("Numbers are read and written exactly")
    func decimals() {
        #expect(Decimal.nanos("-12.5") == -12_500_000_000)
        #expect(Decimal.nanos("0.1234567891") == 123_456_789)
        #expect(["", "-", ".5", "1.", "1e3", "0x1", "1 ", "99999999999"].allSatisfy { Decimal.nanos($0) == nil })
        #expect(Decimal.text(nanos: -1_500_000_000) == "-1.5")
        #expect(Decimal.text(nanos: 3) == "0.000000003")
        #expect(Decimal.text(0.005, digits: 2) == "0.01" && Decimal.text(-2.5, digits: 0) == "-3")
        #expect(Decimal.text(.nan, digits: 2) == "-" && Decimal.text(0.999, digits: 2) == "1.00")
        #expect(Amount(bytes: 1 << 60).bytes == Double(1 << 60))
        #expect(Amount(bytes: 7).nanoseconds(at: 3) == 2_333_333_334)
        #expect(Amount(bytes: 1).nanoseconds(at: 0) == nil)
    }
}

extension String {
    /// The number of occurrences of a word.
    fileprivate func components(of word: String) -> Int { ranges(of: word).count }
}
