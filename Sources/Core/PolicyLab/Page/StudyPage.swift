// SPDX-License-Identifier: Apache-2.0

/// A study as a single HTML page with tables and drawings.
///
/// The page needs no other files or fonts, follows the reader's light or dark setting, and fits a phone. The results
/// are in the page as JSON, and one script in the page draws them. The size of the page is limited for any number of
/// devices: more than 60 devices are drawn as percentiles, and the days of devices are drawn only where the caller adds
/// timelines.
///
/// ```swift
/// let page = StudyPage(study, optima: optima, settings: settings)
/// print(page.html)
/// ```
public struct StudyPage: Sendable {
    let study: Study
    let settings: ReplaySettings
    let origin: PageOrigin?
    let timelines: [PageTimeline]
    let offeredBytes: Double
    /// The corners of the joint Pareto front.
    let front: [Optimum.FrontPoint]

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - study: The study to show.
    ///   - optima: The optimum of each device, for the front.
    ///   - settings: The settings of the replays.
    ///   - origin: The program and the input files; `nil` if they are unknown.
    ///   - timelines: The devices whose days are drawn. The first one is shown at once, the others on demand.
    public init(
        _ study: Study, optima: [Optimum], settings: ReplaySettings, origin: PageOrigin? = nil,
        timelines: [PageTimeline] = []
    ) {
        self.study = study
        self.settings = settings
        self.origin = origin
        self.timelines = timelines
        front = OracleReport(devices: study.devices, optima: optima, settings: settings).corners
        offeredBytes = optima.reduce(0) { $0 + $1.offeredBytes }
    }

    /// The HTML text of the page.
    public var html: String {
        // Without the indentation, which would be most of the text. No text in the data can end the element.
        let lines = data.document.split(separator: "\n").map { $0.drop { $0 == " " } }
        let text = lines.joined(separator: "\n").split(separator: "<", omittingEmptySubsequences: false)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Transfer policies compared</title>
            <style>\(PageStyle.text)</style>
            </head>
            <body>
            <main>
            <h1>Transfer policies compared</h1>
            <noscript><p class="warning">A script in this page draws the results. Please allow it.</p></noscript>
            </main>
            <script type="application/json" id="data">
            \(text.joined(separator: "\\u003c"))
            </script>
            <script>\(PageScript.text)</script>
            </body>
            </html>

            """
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
