// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of the pages that `transferlab` writes, as a browser shows them.
@Suite("Pages of transferlab") struct LabPageTests {
    private static let top = GuideTests.top
    private static let samples = "\(top)/Tests/Core/PolicyLabTests/Samples"

    /// A study whose page is written.
    enum Example: String, CaseIterable, Sendable {
        case comparison
        case sweep
        case gaps

        /// The number of policies.
        var policies: Int { [.comparison: 5, .sweep: 26, .gaps: 6][self] ?? 0 }

        /// The arguments of `transferlab`, except `--html`.
        func arguments(in folder: String) -> [String] {
            let traces = ["\(samples)/renewal-0.csv", "\(samples)/renewal-1.csv", "\(folder)/<i>.csv"]
            let workload = ["--workload", "\(folder)/workload.csv"]
            switch self {
            case .comparison:
                return ["run"] + traces + workload + ["--policy", "default,immediate,strict,ladder,oracle"]
            case .sweep:
                let axes = ["ladder.bat=0:0.8:0.2", "ladder.cell=0.5:0.9:0.1"].flatMap { ["--axis", $0] }
                return ["sweep"] + traces + workload + axes + ["--policy", "oracle"]
            case .gaps: return ["run", "\(folder)/gaps.csv", "--workload", "generated"]
            }
        }
    }

    /// Writes the page of an example.
    private static func page(_ example: Example) async throws -> ChromiumPage {
        let folder = try TemporaryFolder()
        // A name that is an element of HTML, unless the page escapes names.
        for file in ["renewal-2", "workload"] {
            let text = try String(contentsOfFile: "\(samples)/\(file).csv", encoding: .utf8)
            try Data(text.replacing("renewal-2", with: "<i>").utf8).write(
                to: URL(fileURLWithPath: "\(folder.path)/\(file == "workload" ? file : "<i>").csv"))
        }
        let start = 1_700_000_000
        let gaps = (0..<40).map { day in
            "\(start + day * 86_400),\(start + day * 86_400 + 7200),\(day % 3 == 0 ? "battery,cell" : "ac,wifi"),"
        }
        let text = (["t_start,t_end,power,net,level"] + gaps).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/gaps.csv"))
        _ = try await run(example.arguments(in: folder.path) + ["--html", "\(folder.path)/page.html"], in: folder)
        return ChromiumPage(
            html: try String(contentsOfFile: "\(folder.path)/page.html", encoding: .utf8), folder: folder)
    }

    /// Runs `transferlab` and returns its exit status, its output, and its messages.
    @discardableResult
    private static func run(
        _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> (status: Int32, output: String, errors: String) {
        let program = builtProgram("transferlab")
        let (output, errors) = ("\(folder.path)/lab-out", "\(folder.path)/lab-err")
        for file in [output, errors] { try? FileManager.default.removeItem(atPath: file) }
        let process = try ChildProcess(program, arguments, output: output, errors: errors)
        let status = try await process.wait(within: 120)
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        return (status, text(output), text(errors))
    }

    @Test(
        "A page draws every section, and the warning only if traces have large gaps",
        .enabled(if: ChromiumPage.program != nil, "Chromium is missing: apt-get install chromium"),
        arguments: Example.allCases)
    func structure(_ example: Example) async throws {
        let selectors = [
            ".conclusion", ".results", ".heat", ".heat .best", ".dot", ".whisker", ".front", ".continues", ".box",
            "circle.device",
            ".curve",
            ".reference", ".deadline", "details", ".band .c0", ".warning", "[download]", "strong i",
        ]
        let page = try await Self.page(example).layout(width: 1280, isDark: false, counting: selectors)
        for part in [
            "If a late megabyte costs 100, ", "Late bytes and cost", "Results by device", "Delay", "Devices",
            "How this page was made", "regret", "Seed",
            "A megabyte costs 0 on AC power", example == .gaps ? "gaps" : "<i>",
        ] {
            #expect(page.text.contains(part), "\(part)")
        }
        let (policies, devices) = (example.policies, example == .gaps ? 1 : 3)
        let isSweep = example == .sweep
        let expected = [
            ".conclusion": 1, ".results": 1 + devices, ".heat": isSweep ? 3 : 0, ".dot": policies, ".box": 2 * policies,
            "circle.device": 2 * policies * devices, "details": devices, "[download]": 2, "strong i": 0,
            ".curve": policies - 1, ".reference": isSweep ? 24 : 0,
            ".whisker": devices > 1 ? 2 * policies : 0, ".front": 1, ".warning": example == .gaps ? 1 : 0,
        ]
        for (selector, count) in expected { #expect(page.counts[selector] == count, "\(selector)") }
        for selector in [".continues", ".deadline", ".band .c0"] { #expect(page.counts[selector] != 0, "\(selector)") }
        #expect(page.text.contains("Parameters of ladder") == isSweep && (page.counts[".heat .best"] != 0) == isSweep)
    }

    @Test(
        "Nothing overflows, overlaps, or is too small to read, on a phone, a tablet, and a desk, light and dark",
        .enabled(if: ChromiumPage.program != nil, "Chromium is missing: apt-get install chromium"),
        arguments: Example.allCases, [390, 768, 1280])
    func layout(_ example: Example, width: Int) async throws {
        let page = try await Self.page(example)
        let (light, dark) = (
            try await page.layout(width: width, isDark: false), try await page.layout(width: width, isDark: true)
        )
        for layout in [light, dark] {
            #expect(layout.width <= Double(width))
            #expect(layout.overflows.isEmpty)
            #expect(layout.smallestText >= 11)
            #expect(layout.overlappingLabels == [])
        }
        #expect(light.background == "rgb(255, 255, 255)" && dark.background == "rgb(21, 24, 28)")
    }

    @Test(
        "A page that is too wide, too small, or whose labels overlap is noticed",
        .enabled(if: ChromiumPage.program != nil, "Chromium is missing: apt-get install chromium"))
    func faults() async throws {
        let html = """
            <!DOCTYPE html><html><body><main><p style="font-size:9px">small</p>
            <div style="overflow-x:auto"><p style="width:900px">scrolls</p></div><p style="width:500px">wide</p>
            <svg role="img" width="100" height="20"><text y="12">one</text><text x="4" y="12">two</text></svg>
            </main></body></html>
            """
        let layout = try await ChromiumPage(html: html, folder: TemporaryFolder()).layout(width: 390, isDark: false)
        #expect(layout.width == 508 && layout.smallestText == 9 && layout.overlappingLabels == ["one and two"])
        #expect(layout.overflows.map(\.right) == [508] && layout.overflows[0].element == "P. wide")
    }

    @Test("A deadline in a sweep keeps the user's unit")
    func deadline() async throws {
        let folder = try TemporaryFolder()
        let axes = ["--axis", "ladder.bat=0.5,0.7", "--axis", "deadline=4h,90m"]
        let arguments = ["sweep", "\(Self.samples)/renewal-0.csv", "--workload", "generated"]
        let result = try await Self.run(arguments + axes, in: folder)
        let titles = result.output.split(separator: "\n").filter { $0.hasPrefix("deadline") }
        #expect(result.status == 0 && titles == ["deadline 4h", "deadline 90m"])
    }

    @Test("Traces with large gaps are reported, and left out on request")
    func gaps() async throws {
        let folder = try TemporaryFolder()
        let text = "t_start,t_end,power,net,level\n1700000000,1700030000,ac,wifi,\n1700900000,1700930000,ac,wifi,\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/gaps.csv"))
        let study = ["\(folder.path)/gaps.csv", "\(Self.samples)/renewal-0.csv", "--workload", "generated"]
        let warned = try await Self.run(["oracle"] + study, in: folder)
        #expect(
            warned.errors.contains("transferlab: warning: 1 of 2 traces record power and network for less than 60 %"))
        let known = try await Self.run(["oracle", "--min-known", "60%"] + study, in: folder)
        #expect(known.errors.hasPrefix("transferlab: left out: 1 of 2 traces") && !known.errors.contains("warning"))
        #expect(known.output.contains("renewal-0") && !known.output.contains("gaps"))
    }
}
