// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A tab of a Chromium without a screen, controlled by its debugging protocol.
final class ChromiumTab {
    private let process: ChildProcess
    private let folder: TemporaryFolder
    private let socket: WebSocketClient
    private var calls = 0

    /// Starts Chromium with an empty page.
    init() async throws {
        guard let program = ChromiumPage.program else { throw FixtureError("Chromium is not installed") }
        let (folder, port) = (try TemporaryFolder(), try LoopbackSocket.freePort())
        self.folder = folder
        process = try ChildProcess(
            program,
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                "--remote-debugging-port=\(port)", "--remote-allow-origins=*", "--window-size=1100,700",
                "--user-data-dir=\(folder.path)/profile", "about:blank",
            ], environment: ["HOME": folder.path], output: folder.path + "/out", errors: folder.path + "/err")
        var path: String?
        try await waitUntil("Chromium has a page", within: 60) {
            guard let connection = try? await LoopbackSocket(port: port),
                let answer = try? await connection.exchange("GET /json HTTP/1.1", "", ["Host: 127.0.0.1:\(port)"]),
                let start = answer.range(of: "\r\n\r\n"),
                let list = try? JSONSerialization.jsonObject(with: Data(answer[start.upperBound...].utf8))
            else { return false }
            let page = (list as? [[String: Any]])?.first { $0["type"] as? String == "page" }
            path = (page?["webSocketDebuggerUrl"] as? String).flatMap { URL(string: $0)?.path }
            return path != nil
        }
        socket = try await WebSocketClient(port: port, path: path ?? "/")
    }

    func end() { process.end() }

    /// Opens a page. A page that differs in its fragment only is loaded again, too.
    func open(_ address: String) async throws {
        for address in ["about:blank", address] { _ = try await call("Page.navigate", ["url": address]) }
    }

    /// Returns the text of an expression's value.
    @discardableResult
    func value(of expression: String) async throws -> String {
        let result = try await call("Runtime.evaluate", ["expression": "String(\(expression))", "returnByValue": true])
        return (result["result"] as? [String: Any])?["value"] as? String ?? ""
    }

    /// The visible text of the page.
    func text() async throws -> String { try await value(of: "document.body.innerText") }

    /// Writes a picture of the page as PNG into the folder in `TRANSFER_SCREENSHOTS`, if that is set.
    func photograph(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["TRANSFER_SCREENSHOTS"] else { return }
        let picture = try await call("Page.captureScreenshot", [:])["data"] as? String ?? ""
        try Data(base64Encoded: picture)?.write(to: URL(fileURLWithPath: "\(folder)/\(name).png"))
    }

    private func call(_ method: String, _ parameters: [String: Any]) async throws -> [String: Any] {
        calls += 1
        let call: [String: Any] = ["id": calls, "method": method, "params": parameters]
        try await socket.send(String(decoding: try JSONSerialization.data(withJSONObject: call), as: UTF8.self))
        while let text = try await socket.next() {
            let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            if answer["id"] as? Int == calls { return answer["result"] as? [String: Any] ?? [:] }
        }
        throw FixtureError("Chromium does not answer")
    }
}
