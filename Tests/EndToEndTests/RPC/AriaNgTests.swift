// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// A test of AriaNg, a web page that controls aria2. It is not a part of this project: `TRANSFER_ARIANG` is the folder of
/// its release.
@Suite(
    "D5: AriaNg in a browser",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"),
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct AriaNgTests {
    private static let folder = ProcessInfo.processInfo.environment["TRANSFER_ARIANG"]

    @Test(
        "A URL added on battery waits, and finishes after plugging in; from a foreign origin, AriaNg cannot connect",
        .enabled(if: ChromiumPage.program != nil, "Chromium is missing: apt-get install chromium"),
        .enabled(if: AriaNgTests.folder != nil, "no TRANSFER_ARIANG"))
    func download() async throws {
        let server = try await NginxServer()
        let served = try server.serve("file.bin", bytes: 300_000)
        let pages = try LoopbackSocket.freePort()
        let site = try ChildProcess(
            "/usr/bin/env",
            ["python3", "-m", "http.server", "\(pages)", "--bind", "127.0.0.1", "--directory", Self.folder ?? ""],
            output: "/dev/null", errors: "/dev/null")
        defer { site.end() }
        let tab = try await ChromiumTab()
        defer { tab.end() }
        try await RPCDaemon.with(pluggedIn: false, origins: ["http://localhost:\(pages)"]) { rpc in
            func encoded(_ text: String) -> String {
                Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "")
            }
            func connect(from host: String) async throws {
                try await tab.open(
                    "http://\(host):\(pages)/#!/settings/rpc/set/ws/localhost/\(rpc.port)/jsonrpc/\(encoded(rpc.token))"
                )
                try await waitUntil("the settings are kept", within: 30) {
                    try await tab.value(of: "localStorage.getItem('AriaNg.Options')").contains("\(rpc.port)")
                }
            }
            try await connect(from: "127.0.0.1")
            try await tab.open("http://127.0.0.1:\(pages)/#!/waiting")
            try await waitUntil("it cannot connect", within: 60) {
                try await tab.text().contains("Waiting to reconnect")
            }
            try await tab.photograph("ariang-foreign")

            try await connect(from: "localhost")
            let page = "http://localhost:\(pages)/#!/"
            // AriaNg adds the URL in the address without further questions.
            try await tab.open(page + "new/" + encoded(server.url("file.bin")))
            try await waitUntil("it is added", within: 30) {
                (try await rpc.call("aria2.tellWaiting", 0, 10) as? [Any])?.count == 1
            }
            try await tab.open(page + "waiting")
            try await waitUntil("it waits", within: 30) { try await tab.text().contains("file.bin") }
            #expect(server.requests().isEmpty)
            try await tab.photograph("ariang-waiting")
            try await rpc.power.setAC(true)
            try await tab.open(page + "stopped")
            try await waitUntil("it has finished", within: 60) { try await tab.text().contains("file.bin") }
            try await tab.photograph("ariang-finished")
            #expect(RandomFile.same(rpc.downloads + "/file.bin", served))
        }
    }
}
