// SPDX-License-Identifier: Apache-2.0
internal import TransferScheduling

extension StudyPage {
    /// The maximum number of lines of the downloaded table. A larger study offers the results of all devices together.
    static let maximumDownloadLines = 1000

    /// The program, the inputs, the settings, and the results for download.
    var provenance: String {
        var rows: [(String, String)] = []
        if let origin {
            rows.append(("Program", Markup.escape(origin.program)))
            rows.append(("Command", "<code>\(Markup.escape(origin.command))</code>"))
            let inputs = origin.inputs.map { input in
                let checksum = input.checksum.map { " <code>\(Markup.hex($0))</code>" } ?? ""
                return "<li>\(Markup.escape(input.name))\(checksum)</li>"
            }
            rows.append(("Inputs, with FNV-1a checksums", "<ul>\(inputs.joined(separator: "\n"))</ul>"))
        }
        rows.append(("Seed", "\(settings.seed)"))
        rows.append(("Rates", rates))
        rows.append(("Scheduler", schedulerText))
        rows.append(("Results", downloads))
        let items = rows.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }
        return "<dl class=\"origin\">\n\(items.joined(separator: "\n"))\n</dl>"
    }

    private var rates: String {
        func text(_ rate: Int64) -> String { Markup.bytes(Double(rate)) + "/s" }
        return
            "Wi-Fi and wired \(text(settings.wifiRate)), cellular \(text(settings.cellRate)), where a trace states none"
    }

    private var schedulerText: String {
        let scheduler = settings.scheduler
        if scheduler == ReplaySettings.daemonScheduler { return "as in the daemon's default configuration" }
        let slots = scheduler.globalSlots
        return (slots == 1 ? "one transfer" : "\(slots) transfers") + " at a time, the earliest deadline first"
            + (scheduler.startsLateTransfersLast ? ", those past their deadlines last" : "")
    }

    private var downloads: String {
        let isComplete = study.lines.count * (study.devices.count + 1) <= Self.maximumDownloadLines
        let csv = isComplete ? study.csv : study.pooledCSV
        let rows = isComplete ? "by device" : "all devices together"
        return [
            link(csv, type: "text/csv", file: "results.csv", text: "results.csv, \(rows)"),
            link(
                Self.withoutIndentation(study.pooledJSON.document), type: "application/json", file: "results.json",
                text: "results.json, all devices together, for transferlab diff"),
        ].joined(separator: "<br>")
    }

    /// Returns a JSON document without the indentation, which would be most of an encoded document.
    private static func withoutIndentation(_ document: String) -> String {
        document.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n") + "\n"
    }

    private func link(_ content: String, type: String, file: String, text: String) -> String {
        let data = "data:\(type);charset=utf-8,\(Markup.percentEncoded(content))"
        return "<a download=\"\(file)\" href=\"\(data)\">\(text)</a>"
    }
}

/// The program and the inputs that a page was made from, so that its reader can repeat the study.
///
/// ```swift
/// let origin = PageOrigin(
///     program: "transferlab 0.1.0", command: "transferlab run a.csv --workload jobs.csv",
///     inputs: [.init(name: "a.csv", checksum: 0x1f2e)])
/// ```
public struct PageOrigin: Hashable, Sendable {
    /// A file, or a group of files.
    public struct Input: Hashable, Sendable {
        /// The name of the file as the user gave it.
        public var name: String
        /// A hash of the content (64-bit FNV-1a); `nil` if there is no file.
        public var checksum: UInt64?

        /// Creates an input.
        public init(name: String, checksum: UInt64?) {
            self.name = name
            self.checksum = checksum
        }
    }

    /// The name and version of the program.
    public var program: String
    /// A command line that repeats the study.
    public var command: String
    /// The input files.
    public var inputs: [Input]

    /// Creates an origin.
    public init(program: String, command: String, inputs: [Input]) {
        self.program = program
        self.command = command
        self.inputs = inputs
    }
}
