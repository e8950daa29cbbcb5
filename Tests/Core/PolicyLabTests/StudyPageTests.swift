// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import PolicyLab

@Suite("HTML page of a study") struct StudyPageTests {
    private static let settings = Days.slow
    private static let days = ["bbAA", "AAdd", "dAb-", "?Abz", "CCbA"]

    private static func page(
        _ names: [String], devices: Int, name: String = "d", timelines: Int = 1, deadline: Int64 = 300,
        settings: ReplaySettings = settings, days: [String] = days
    ) throws -> StudyPage {
        let traces = (0..<devices).map { Days.trace(days[$0 % days.count], device: "\(name)\($0)") }
        let jobs = [Days.job(0, bytes: 150, by: deadline), Days.job(1, at: 50, bytes: 100, by: 250)]
        let optima = traces.map { Optimum($0, jobs: jobs, settings: settings) }
        var recording = settings
        recording.recordsActivity = true
        let results = try names.map { name -> Study.Result in
            guard try !LabPolicy(name).isOptimum else { return (name, nil) }
            return (name, try traces.map { try Days.replay($0, jobs, name, recording) })
        }
        let study = Study(results, devices: traces.map(\.device), optima: optima, settings: settings, seed: 1)
        let drawn = traces.indices.prefix(timelines).map { index in
            PageTimeline(
                traces[index],
                bands: results.compactMap { result in
                    result.outcomes.map { PageTimeline.Band(name: result.name, activity: $0[index].activity) }
                })
        }
        let origin = PageOrigin(
            program: "transferlab 1.2.3", command: "transferlab run 'a & b.csv'",
            inputs: [.init(name: "a & b.csv", checksum: 0x1F), .init(name: "random jobs", checksum: nil)])
        return StudyPage(study, optima: optima, settings: settings, origin: origin, timelines: drawn)
    }

    /// The part of a page's data that the tests compare, read as a browser reads it.
    private struct PageData: Decodable {
        struct Metric: Decodable {
            var value: Double
            var range: [Double]?
            var spread: [Double]
            var devices: [Double]
        }
        struct Policy: Decodable {
            var name: String
            var cells: [String]
            var late: Metric
            var cost: Metric
            var steps: [[Double]]
        }
        struct Timeline: Decodable {
            struct Band: Decodable, Equatable {
                var title: String
                var runs: [String: [Int]]
            }
            var name: String
            var facts: String
            var cells: [[String]]
            var bands: [Band]
        }
        struct Results: Decodable {
            struct Policy: Decodable { var name: String }
            var policies: [Policy]
        }
        var warning: String?
        var columns: [[String]]
        var policies: [Policy]
        var costs: [Double]
        var penalty: Double
        var front: [[Double]]
        var devices: [String]
        var deadlines: [Double]?
        var deadlineText: String
        var devicesText: String
        var timelines: [Timeline]
        var origin: [[String]]
        var inputs: [[String]]
        var csv: String
        var json: Results

        init(_ page: StudyPage) throws {
            let parts = page.html.components(separatedBy: "id=\"data\">")
            let text = try #require(parts.count == 2 ? parts[1].components(separatedBy: "</script>").first : nil)
            self = try JSONDecoder().decode(PageData.self, from: Data(text.utf8))
        }
    }

    private static func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    @Test("The page is self-contained: no other scripts, images, fonts, or addresses, and no text ends its data")
    func alone() throws {
        let page = try Self.page(["immediate", "oracle"], devices: 2, name: "</script><!--<b>&\"'")
        for word in ["http", "src=", "url(", "@import", "@font-face", "<!--"] {
            #expect(!page.html.contains(word), "\(word)")
        }
        #expect(Self.count("<script", in: page.html) == 2 && Self.count("</script>", in: page.html) == 2)
        #expect(page.html.contains("prefers-color-scheme: dark"))
        #expect(try PageData(page).timelines.map(\.name) == ["</script><!--<b>&\"'0"])
    }

    @Test("The page has every policy and device, and stays small")
    func sizes() throws {
        let many = (0..<16).map { "ladder:bat=0.\(10 + $0)" }
        for (names, devices) in [(["strict"], 1), (["strict"], 200), (many, 1), (many, 60)] {
            let page = try Self.page(names, devices: devices, timelines: 0)
            let (data, size) = (try PageData(page), page.html.utf8.count)
            let label = Comment(rawValue: "\(names.count) policies, \(devices) devices: \(size)")
            // The data for download grows up to a limit of its own.
            #expect(size - data.csv.utf8.count < 120_000 && data.csv.utf8.count < 800_000, label)
            #expect(data.policies.map(\.name) == names, label)
            #expect(data.policies.allSatisfy { $0.cells.count == data.columns.count }, label)
            let areDrawn = devices <= 60 && names.count * devices <= 500
            #expect(data.devices.count == (areDrawn ? devices : 0), label)
            for metric in data.policies.flatMap({ [$0.late, $0.cost] }) {
                #expect(metric.devices.count == data.devices.count && metric.spread.count == 3, label)
                #expect(metric.spread == metric.spread.sorted() && (metric.range == nil) == (devices == 1), label)
            }
        }
    }

    @Test("The program, the inputs, the seed, and the settings are named, with the costs of the study")
    func origin() throws {
        var settings = Self.settings
        (settings.seed, settings.scheduler.globalSlots) = (77, 3)
        (settings.costs, settings.penalty) = ([0, 2.5, 7, 9], 64)
        let data = try PageData(Self.page(["strict"], devices: 1, settings: settings))
        #expect(
            data.origin == [
                ["Program", "transferlab 1.2.3"], ["Command", "transferlab run 'a & b.csv'"], ["Seed", "77"],
                ["Rates", "Wi-Fi and wired 1 byte/s, cellular 1 byte/s, where a trace states none"],
                ["Scheduler", "3 transfers at a time, the earliest deadline first"],
            ])
        #expect(data.inputs == [["a & b.csv", "000000000000001f"], ["random jobs", ""]])
        #expect(data.costs == [0, 2.5, 7, 9] && data.penalty == 64)
    }

    @Test("The results for download are the results of the study")
    func downloads() throws {
        let page = try Self.page(["strict", "oracle"], devices: 3)
        #expect(try PageData(page).csv == page.study.csv)
        #expect(try PageData(page).json.policies.map(\.name) == ["strict", "oracle"])
        // A large study offers the results of all devices together.
        let large = try Self.page((0..<10).map { "ladder:bat=0.1\($0)" }, devices: 100, timelines: 0)
        #expect(try PageData(large).csv == large.study.pooledCSV)
        #expect(large.study.pooledCSV.split(separator: "\n").count == 11)
    }

    @Test("The deadlines are named, whether they are equal or differ")
    func deadline() throws {
        let two = try PageData(Self.page(["strict"], devices: 1, deadline: 250))
        #expect(two.deadlines == [200, 250] && two.deadlineText == "deadlines 3 min to 4 min")
        let single = try PageData(Self.page(["strict"], devices: 1, deadline: 200))
        #expect(single.deadlines == [200, 200] && single.deadlineText == "deadline 3 min")
    }

    @Test("A device has its conditions, and the transfers of each policy that was replayed")
    func devices() throws {
        let data = try PageData(Self.page(["oracle", "immediate"], devices: 5, timelines: 4))
        #expect(data.timelines.map(\.name) == ["d0", "d1", "d2", "d3"])
        #expect(data.devicesText.hasSuffix("most late bytes of oracle. 1 other device is not drawn."))
        let days = try #require(data.timelines.last)
        #expect(days.bands.map(\.title) == ["power", "network", "immediate"])
        // Asleep, the device has power, but no network.
        #expect(days.bands[0].runs == ["unknown": [0, 197], "ac": [197, 395, 592, 790], "battery": [395, 592]])
        #expect(days.bands[1].runs == ["unknown": [0, 197], "free": [197, 592], "none": [592, 790]])
        #expect(days.facts.hasPrefix("oracle: 20.00 % late · 7 min · power and network known for 75 %"))
        #expect(days.cells.count == 2 && days.cells[0][0] == "20.00")
    }

    @Test("Traces with large gaps cause a warning on the page")
    func coverage() throws {
        let gaps = try PageData(Self.page(["strict"], devices: 1, days: ["A???"]))
        #expect(gaps.warning?.hasPrefix("The trace records power and network for only 25 %") == true)
        #expect(try PageData(Self.page(["strict"], devices: 1, days: ["AAAb"])).warning == nil)
    }

    @Test("A curve has at most 200 steps, which rise to the share of the finished jobs")
    func curves() throws {
        let steps = try PageData(Self.page(["immediate"], devices: 200, timelines: 0)).policies[0].steps
        #expect(steps.count == 200)
        #expect(
            steps.map { $0[0] } == steps.map { $0[0] }.sorted() && steps.map { $0[1] } == steps.map { $0[1] }.sorted())
        let page = try Self.page(["immediate"], devices: 200, timelines: 0)
        let pooled = page.study.lines[0].pooled
        #expect(abs(try #require(steps.last)[1] - Double(pooled.done) / Double(pooled.jobs) * 100) < 0.001)
    }

    @Test("Quantities are written for readers")
    func markup() {
        #expect(
            [0, 1, 999, 2_500_000, 81_500_000_000].map(StudyPage.bytes) == [
                "0 bytes", "1 byte", "999 bytes", "2.5 MB", "81.5 GB",
            ])
        #expect(StudyPage.hex(0xCBF2) == "000000000000cbf2")
    }
}
