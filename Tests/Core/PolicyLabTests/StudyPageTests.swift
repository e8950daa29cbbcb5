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

    private static func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    /// Compares the page with the sample. `LAB_PAGE=write` writes a new sample. Review the new sample in a browser
    /// before you commit it.
    @Test("The page equals the reviewed sample byte by byte")
    func golden() throws {
        let page = try Self.page(["immediate", "ladder", "strict", "oracle"], devices: 5, timelines: 2).html
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Samples/page.html")
        if ProcessInfo.processInfo.environment["LAB_PAGE"] == "write" { try Data(page.utf8).write(to: file) }
        let seen = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let lines = zip(page.split(separator: "\n"), seen.split(separator: "\n"))
        let differing = lines.first { $0 != $1 }
        #expect(page == seen, "first differing: \(differing.map { "\($0)\nseen: \($1)" } ?? "only the length")")
    }

    @Test("The page is self-contained: no scripts, images, or fonts, and links only to its own data")
    func alone() throws {
        let page = try Self.page(["immediate", "oracle"], devices: 2).html
        for word in ["<script", "http", "src=", "url(", "@import", "@font-face"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("prefers-color-scheme: dark"))
        #expect(Self.count("href=", in: page) == 2 && Self.count("href=\"data:", in: page) == 2)
        #expect(Self.count("<svg", in: page) == Self.count("</svg>", in: page))
        for tag in ["section", "div", "details", "table", "tr", "dl", "dd"] {
            let open = Self.count("<\(tag)>", in: page) + Self.count("<\(tag) ", in: page)
            #expect(open == Self.count("</\(tag)>", in: page) && open > 0, "\(tag)")
        }
    }

    @Test("The page shows every policy and device, and stays small")
    func sizes() throws {
        let many = (0..<16).map { "ladder:bat=0.\(10 + $0)" }
        for (names, devices) in [(["strict"], 1), (["strict"], 200), (many, 1), (many, 60)] {
            let page = try Self.page(names, devices: devices, timelines: 0)
            let html = page.html
            let label = Comment(rawValue: "\(names.count) policies, \(devices) devices: \(html.utf8.count)")
            // The data for download grows up to a limit of its own.
            let data = html.split(separator: "\"").filter { $0.hasPrefix("data:") }.map(\.utf8.count)
            #expect(html.utf8.count - data.reduce(0, +) < 120_000 && data.allSatisfy { $0 < 800_000 }, label)
            #expect(Self.count("<td class=\"name\">", in: html) == names.count, label)
            #expect(Self.count("class=\"dot ", in: html) == names.count, label)
            // Each device appears in two drawings for every policy.
            #expect(
                Self.count("class=\"device ", in: html) == (page.hasDots ? 2 * names.count * devices : 0), label)
            #expect(page.hasDots == (devices <= 60 && names.count * devices <= 500), label)
            #expect(!html.contains("nan") && !html.contains("inf\""), label)
        }
    }

    @Test("Names are escaped, and appear in full")
    func names() throws {
        let page = try Self.page(["strict"], devices: 1, name: "<b>&\"'").html
        #expect(!page.contains("<b>&"))
        #expect(page.contains("&lt;b&gt;&amp;&quot;&#39;0"))
        let long = (0..<12).map { "ladder:bat=0.123456789012345678901\($0):cell=inf" }
        let wide = try Self.page(long, devices: 2).html
        // In the table, by device, in the curves, and in the table of the device with days.
        for name in long { #expect(Self.count("<span>\(name)</span>", in: wide) >= 4, "\(name)") }
        #expect(!wide.contains("…<"))
    }

    @Test("The columns are defined, with the costs of the study")
    func terms() throws {
        var settings = Self.settings
        (settings.costs, settings.penalty) = ([0, 2.5, 7, 9], 64)
        let page = try Self.page(["strict"], devices: 1, settings: settings).html
        for term in ["late", "missed", "cost", "regret", "delay p50, p95", "wakes", "starts", "95 %", "oracle"] {
            #expect(page.contains("<dt>\(term)</dt>"), "\(term)")
        }
        #expect(page.contains("costs 0 on AC power and an unmetered network, 2.5 on battery and unmetered, 7 on AC"))
        #expect(page.contains("late or unfinished megabyte costs 64<"))
    }

    @Test("The program, the inputs, the seed, and the settings are named")
    func origin() throws {
        var settings = Self.settings
        settings.seed = 77
        settings.scheduler.globalSlots = 3
        let page = try Self.page(["strict"], devices: 1, settings: settings).html
        for part in [
            "transferlab 1.2.3", "<code>transferlab run &#39;a &amp; b.csv&#39;</code>", "<dt>Seed</dt><dd>77</dd>",
            "<li>a &amp; b.csv <code>000000000000001f</code></li>", "<li>random jobs</li>", "3 transfers at a time",
            "Wi-Fi and wired 1 byte/s",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }

    @Test("The results for download are the results of the study")
    func downloads() throws {
        let page = try Self.page(["strict", "oracle"], devices: 3)
        let links = page.html.split(separator: "href=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(links.count == 2)
        let contents = links.map { String($0.drop { $0 != "," }.dropFirst()).removingPercentEncoding ?? "" }
        #expect(contents[0] == page.study.csv)
        let object = try JSONSerialization.jsonObject(with: Data(contents[1].utf8)) as? [String: Any]
        let policies = object?["policies"] as? [[String: Any]]
        #expect(policies?.map { $0["name"] as? String } == ["strict", "oracle"])
        let pooled = policies?.first?["pooled"] as? [String: Any]
        #expect(pooled?["late_share"] as? Double == page.study.lines[0].pooled.lateShare)
        // A large study offers the results of all devices together.
        let large = try Self.page((0..<10).map { "ladder:bat=0.1\($0)" }, devices: 100, timelines: 0)
        #expect(large.html.contains(Markup.percentEncoded(large.study.pooledCSV)))
        #expect(large.study.pooledCSV.split(separator: "\n").count == 11)
    }

    @Test("The deadline is marked among the delays; different deadlines form an area")
    func deadline() throws {
        let page = try Self.page(["strict"], devices: 1, deadline: 250).html
        #expect(page.contains("from 3 min to 4 min") && page.contains("class=\"deadlines\""))
        let single = try Self.page(["strict"], devices: 1, deadline: 200).html
        #expect(single.contains("The dotted line is the deadline of 3 min.") && single.contains(">deadline 3 min<"))
        #expect(Self.count("class=\"deadline\"", in: single) == 1 && !single.contains("class=\"deadlines\""))
    }

    @Test("A sweep has heat maps and one small drawing of delays per policy")
    func sweep() throws {
        let names = ["0", "0.4", "0.8"].flatMap { bat in
            ["0.5", "0.7", "0.9"].map { "ladder:bat=\(bat):cell=\($0)" }
        }
        let page = try Self.page(names + ["oracle"], devices: 3).html
        #expect(Self.count("<table class=\"heat\">", in: page) == 3 && Self.count("<td class=\"best\"", in: page) >= 1)
        #expect(Self.count("<figure>", in: page) == 9)
        #expect(
            Self.count("class=\"reference\"", in: page) == 8 && page.contains("The gray curve is the first policy."))
        let few = try Self.page(["strict", "immediate"], devices: 3).html
        #expect(!few.contains("<table class=\"heat\">") && !few.contains("<figure>"))
    }

    @Test("Each device with days can be opened, and the first one is open")
    func devices() throws {
        let page = try Self.page(["strict", "oracle"], devices: 5, timelines: 4).html
        #expect(Self.count("<details class=\"device\"", in: page) == 4)
        #expect(Self.count("<details class=\"device\" open>", in: page) == 1)
        #expect(page.contains("1 other device is not drawn."))
        // The band of the second policy has its color, also after the optimum, which has no band.
        let second = try Self.page(["oracle", "immediate"], devices: 1)
        let band = try #require(
            second.devices.firstMatch(of: #/<span>immediate</span><svg [^>]*><path d="[^"]*" class="(c\d)"/#))
        #expect(band.1 == "c1")
        // The whole study, and each device.
        #expect(Self.count("<table class=\"results\">", in: page) == 5)
    }

    @Test("Traces with large gaps cause a warning on the page")
    func coverage() throws {
        let gaps = try Self.page(["strict"], devices: 1, days: ["A???"]).html
        #expect(gaps.contains("<p class=\"warning\">The trace records power and network for only 25 %"))
        #expect(try !Self.page(["strict"], devices: 1, days: ["AAAb"]).html.contains("<p class=\"warning\">"))
    }

    @Test("Curves reach the longest delay, and what continues beyond a drawing is marked")
    func clipping() throws {
        // Nothing moves for 100 days, and then everything does.
        let start = Days.date(0)
        let long = Int64(100 * 86_400)
        let trace = try #require(
            Trace(
                device: "d",
                segments: [
                    .init(start: start, end: Days.date(long), power: .ac, network: .none),
                    .init(start: Days.date(long), end: Days.date(long + 1000), power: .ac, network: .wifi),
                ]))
        let jobs = [Days.job(0, bytes: 10, by: 86_400)]
        let optimum = Optimum(trace, jobs: jobs, settings: Self.settings)
        let study = Study(
            [("strict", [try Days.replay(trace, jobs, "strict")])], devices: ["d"], optima: [optimum],
            settings: Self.settings, seed: 1)
        let curves = DelayDrawing(study: study).html
        #expect(curves.contains(">1 y<") && curves.contains(">90 d<"))
        // The delay lies inside the drawing, not at its right side.
        #expect(curves.contains(#/H9[0-9][0-9]\.[0-9]+V24/#))
        let clipped = try Self.page(["immediate"], devices: 5)
        let plane = PlaneDrawing(study: clipped.study, front: clipped.front).html
        #expect(plane.contains("class=\"continues\""))
        // The horizontal axis reaches to the end of the interval.
        let labels = plane.matches(of: #/text-anchor="middle" class="label[^"]*">([0-9.]+)</#)
        let interval = try #require(clipped.study.lines[0].lateShareInterval)
        let last = try #require(labels.compactMap { Double($0.1) }.max())
        #expect(last >= interval.upperBound * 100 && interval.upperBound > clipped.study.lines[0].pooled.lateShare)
    }

    @Test("Labels of an axis do not overlap, and the last one is kept")
    func labels() {
        let labels = (0...10).map { (x: Double($0) * 10, text: "1000 d") }
        #expect(AxisLabels(labels, width: 1000).fitting == Array(0...10))
        #expect(AxisLabels(labels, width: 300).fitting == [0, 2, 4, 6, 8, 10])
        #expect(AxisLabels([], width: 300).fitting == [])
        // Without a margin, the first label begins at the axis.
        #expect(AxisLabels(labels, width: 300, margin: 4).isShifted(0))
        #expect(!AxisLabels(labels, width: 300, margin: 4).isShifted(1))
        #expect(AxisLabels(labels, width: 550, margin: 4).fitting.prefix(2) == [1, 2])
        #expect(PlaneDrawing.numbers([0, 2, 3, 4, 5, 9, 10]) == "1, 3–6, 10, 11")
    }

    @Test("Quantities are written for readers, and links encode every sign that matters")
    func markup() {
        #expect(
            [0, 1, 999, 2_500_000, 81_500_000_000].map(Markup.bytes) == [
                "0 bytes", "1 byte", "999 bytes", "2.5 MB", "81.5 GB",
            ])
        #expect(Markup.hex(0xCBF2) == "000000000000cbf2")
        #expect(Markup.percentEncoded("a b\n\"é#%") == "a%20b%0A%22%C3%A9%23%25")
    }

    @Test("Scales begin at 0, reach the largest value, and have round steps")
    func scales() {
        for largest in [0.0, 0.013, 0.7, 1, 1.05, 12.9, 100, 4321] {
            let scale = Scale(to: largest, positions: (0, 100))
            #expect(scale.range.lowerBound == 0 && scale.range.upperBound >= largest, "\(largest)")
            #expect(scale.range.upperBound <= max(1, largest * 2) && (3...7).contains(scale.ticks.count), "\(largest)")
            #expect(scale(scale.range.upperBound) == 100 && scale(-1) == 0, "\(largest)")
        }
        #expect(
            Scale(to: 0.7, positions: (0, 1)).ticks.map { Scale(to: 0.7, positions: (0, 1)).text($0) } == [
                "0.0", "0.2", "0.4", "0.6", "0.8",
            ])
    }
}
