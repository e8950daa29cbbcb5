// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// Chromium without a screen, which lays a page out and measures it.
struct ChromiumPage {
    /// An element that reaches beyond the right side of the screen.
    struct Overflow: Decodable, CustomStringConvertible {
        var element: String
        var right: Double

        var description: String { "\(element) reaches to \(right) px" }
    }

    /// The measurements of the page on a screen.
    struct Layout: Decodable {
        /// The width of the content, in pixels.
        var width: Double
        /// The elements that are wider than the screen and cannot be scrolled.
        var overflows: [Overflow]
        /// The smallest text that is shown, in pixels.
        var smallestText: Double
        /// The number of labels of drawings that overlap another label of the same drawing.
        var overlappingLabels: [String]
        /// The background color of the page.
        var background: String
        /// The number of elements in the page, by selector.
        var counts: [String: Int]
        /// The text that the page shows.
        var text: String
    }

    /// The path of the program; `nil` if it is not installed.
    static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let html: String
    let folder: TemporaryFolder

    /// Lays the page out on a screen.
    ///
    /// - Parameters:
    ///   - width: The width of the screen, in pixels.
    ///   - isDark: Whether the reader prefers dark colors.
    ///   - selectors: The selectors of the elements to count.
    func layout(width: Int, isDark: Bool, counting selectors: [String] = []) async throws -> Layout {
        guard let program = Self.program else { throw FixtureError("Chromium is not installed") }
        let name = "\(width)\(isDark ? "-dark" : "")"
        let (page, frame) = ("\(folder.path)/page-\(name).html", "\(folder.path)/frame-\(name).html")
        try Data(html.replacing("</body>", with: "<script>\(Self.measuring(selectors))</script></body>").utf8)
            .write(to: URL(fileURLWithPath: page))
        // A window of Chromium cannot be as narrow as a phone. A frame can.
        let document = """
            <!DOCTYPE html><iframe src="page-\(name).html" style="width:\(width)px;height:900px;border:0"></iframe>
            <pre id="layout"></pre>
            <script>addEventListener("message", e => document.getElementById("layout").textContent = e.data)</script>
            """
        try Data(document.utf8).write(to: URL(fileURLWithPath: frame))
        let (output, errors) = ("\(folder.path)/out-\(name)", "\(folder.path)/err-\(name)")
        let process = try ChildProcess(
            program,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                "--disable-background-networking", "--user-data-dir=\(folder.path)/profile-\(name)",
                "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--window-size=1600,1000",
                "--virtual-time-budget=20000", "--dump-dom", "file://\(frame)",
            ], environment: ["HOME": folder.path], output: output, errors: errors)
        try await process.wait(within: 120)
        let dump = try String(contentsOfFile: output, encoding: .utf8)
        guard let text = dump.firstMatch(of: #/<pre id="layout">([^<]+)</#) else {
            let tail = (try? String(contentsOfFile: errors, encoding: .utf8))?.suffix(1000) ?? ""
            throw FixtureError("Chromium measured nothing: \(tail)")
        }
        let json = text.1.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
        return try JSONDecoder().decode(Layout.self, from: Data(json.utf8))
    }

    /// Opens all devices and measures the page once everything is drawn.
    private static func measuring(_ selectors: [String]) -> String {
        """
        addEventListener("load", () => {
          document.querySelectorAll("details").forEach(d => d.open = true);
          setTimeout(() => {
          const name = e => e.tagName + "." + (e.getAttribute("class") || "") + " " + e.textContent.slice(0, 40);
          const scrolls = e => e && (getComputedStyle(e).overflowX == "auto" || scrolls(e.parentElement));
          const overflows = [], overlappingLabels = [];
          let smallestText = 100;
          for (const e of document.querySelectorAll("main *")) {
            const box = e.getBoundingClientRect();
            if (!box.width || scrolls(e)) continue;
            if (box.right > innerWidth + 0.5 || box.left < -0.5) overflows.push({element: name(e), right: box.right});
            const own = [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim());
            if (own && e.tagName != "title") {
              const scale = e.ownerSVGElement && e.getScreenCTM ? Math.abs(e.getScreenCTM().a) : 1;
              smallestText = Math.min(smallestText, parseFloat(getComputedStyle(e).fontSize) * scale);
            }
          }
          for (const drawing of document.querySelectorAll("svg[role=img]")) {
            const labels = [...drawing.querySelectorAll("text")].map(t => [t, t.getBoundingClientRect()])
              .filter(([, b]) => b.width);
            labels.forEach(([t, a], i) => labels.slice(i + 1).forEach(([u, b]) => {
              if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
                overlappingLabels.push(t.textContent + " and " + u.textContent);
            }));
          }
          parent.postMessage(JSON.stringify({
            width: document.documentElement.scrollWidth, overflows, smallestText, overlappingLabels,
            background: getComputedStyle(document.body).backgroundColor, text: document.body.innerText,
            counts: Object.fromEntries(\(selectors).map(s => [s, document.querySelectorAll(s).length]))
          }), "*");
          }, 500);
        });
        """
    }
}
