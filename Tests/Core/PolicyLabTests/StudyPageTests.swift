// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import PolicyLab

@Suite("HTML page of a study") struct StudyPageTests {
    private static let settings = Days.slow
    private static let days = ["bbAA", "AAdd", "dAb-", "?Abz", "CCbA"]

    private static func page(_ names: [String], devices: Int, name: String = "d", timelines: Int = 1) throws -> String {
        let traces = (0..<devices).map { Days.trace(days[$0 % days.count], device: "\(name)\($0)") }
        let jobs = [Days.job(0, bytes: 150, by: 300), Days.job(1, at: 50, bytes: 100, by: 250)]
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
        return StudyPage(study, optima: optima, settings: settings, timelines: drawn).html
    }

    private static func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    /// Compares the page with the sample. `LAB_PAGE=write` writes a new sample. Review the new sample in a browser
    /// before you commit it.
    @Test("The page equals the reviewed sample byte by byte")
    func golden() throws {
        let page = try Self.page(["immediate", "ladder", "strict", "oracle"], devices: 5)
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Samples/page.html")
        if ProcessInfo.processInfo.environment["LAB_PAGE"] == "write" { try Data(page.utf8).write(to: file) }
        let seen = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let lines = zip(page.split(separator: "\n"), seen.split(separator: "\n"))
        let differing = lines.first { $0 != $1 }
        #expect(page == seen, "first differing: \(differing.map { "\($0)\nseen: \($1)" } ?? "only the length")")
    }

    @Test("The page is self-contained: no scripts, links, images, or fonts")
    func alone() throws {
        let page = try Self.page(["immediate", "oracle"], devices: 2)
        for word in ["<script", "http", "src=", "href", "url(", "@import", "@font-face"] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("prefers-color-scheme: dark"))
        #expect(Self.count("<svg", in: page) == 4 && Self.count("</svg>", in: page) == 4)
    }

    @Test("The page shows every policy and device, and stays small")
    func sizes() throws {
        let many = (0..<16).map { "ladder:bat=0.\(10 + $0)" }
        for (names, devices) in [(["strict"], 1), (["strict"], 300), (many, 1), (many, 100)] {
            let page = try Self.page(names, devices: devices)
            // Each device appears in two drawings for every policy.
            #expect(page.utf8.count < 120_000, "\(names.count) policies, \(devices) devices: \(page.utf8.count)")
            #expect(Self.count("<tr>", in: page) == names.count + 1)
            #expect(Self.count("class=\"dot ", in: page) == names.count)
            #expect(
                Self.count("class=\"device ", in: page)
                    == (devices > StudyPage.maximumDots ? 0 : 2 * names.count * devices))
            #expect(!page.contains("nan") && !page.contains("inf\""))
        }
    }

    @Test("Names are escaped")
    func names() throws {
        let page = try Self.page(["strict"], devices: 1, name: "<b>&\"'")
        #expect(!page.contains("<b>&"))
        #expect(page.contains("&lt;b&gt;&amp;&quot;&#39;0"))
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
