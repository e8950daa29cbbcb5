// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// A daemon that offers RPC on a free port, on battery or plugged in.
struct RPCDaemon {
    let daemon: DaemonFixture
    let power: PowerFixture
    let port: Int
    let token: String

    /// The folder of all downloads.
    var downloads: String { daemon.program.downloads }
    private var configurationPath: String { daemon.program.folder.path + "/config/transferd/config.toml" }

    static func with(
        pluggedIn: Bool = true, origins: [String] = [], _ body: (RPCDaemon) async throws -> Void
    ) async throws {
        let fixture = try await RPCDaemon(pluggedIn: pluggedIn, origins: origins)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await fixture.daemon.end()
        await fixture.power.end()
        try result.get()
    }

    private init(pluggedIn: Bool, origins: [String]) async throws {
        daemon = try await DaemonFixture()
        power = try await PowerFixture(bus: daemon.bus)
        try await power.spawn()
        try await power.setAC(pluggedIn)
        port = try LoopbackSocket.freePort()
        let folder = daemon.program.folder.path
        try FileManager.default.createDirectory(
            atPath: folder + "/config/transferd", withIntermediateDirectories: true)
        let list = origins.map { "\"\($0)\"" }.joined(separator: ", ")
        try "[rpc]\nenabled = true\nport = \(port)\ndirectory = \"\(daemon.program.downloads)\"\norigins = [\(list)]\n"
            .write(toFile: folder + "/config/transferd/config.toml", atomically: true, encoding: .utf8)
        try await daemon.run("list")
        let tokenPath = folder + "/state/transferd/rpc-token"
        try await waitUntil("the token is made", within: 30, watching: .files(in: folder + "/state/transferd")) {
            FileManager.default.fileExists(atPath: tokenPath)
        }
        token = try String(contentsOfFile: tokenPath, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        try await awaitAnswer()
    }

    /// Waits until the server answers.
    func awaitAnswer() async throws {
        try await waitUntil("the server answers", within: 30) {
            guard let socket = try? await LoopbackSocket(port: port) else { return false }
            return ((try? await socket.request("{}")) ?? "").contains("-32600")
        }
    }

    /// Rewrites the configuration, and has the daemon read it.
    func reconfigure(_ change: (String) -> String) async throws {
        let text = try String(contentsOfFile: configurationPath, encoding: .utf8)
        try change(text).write(toFile: configurationPath, atomically: true, encoding: .utf8)
        guard let process = try await daemon.process() else { throw FixtureError("the daemon does not run") }
        kill(process, SIGHUP)
    }

    /// The process of the server, or `nil`.
    func server() async throws -> pid_t? {
        guard let process = try await daemon.process() else { return nil }
        return ProcessList.children(of: process).first { $0.name == "transfer-rpc" }?.id
    }

    /// The resident memory of a process in bytes.
    static func memory(of process: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
    }

    /// Performs a call with the token, and returns its result.
    func call(_ method: String, _ parameters: Any...) async throws -> Any {
        let answer = try await answer(method, ["token:" + token] + parameters)
        guard let result = answer["result"] else { throw FixtureError("\(method): \(answer)") }
        return result
    }

    /// Returns the median time of five calls with the token over connections of their own. A single one may be slow because
    /// the tests keep the processors busy.
    func callTime() async throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            _ = try await call("aria2.getVersion")
            times.append(start.duration(to: .now))
        }
        return times.sorted()[2]
    }

    /// Performs a call without a token of its own, and returns the whole answer.
    func answer(_ method: String, _ parameters: [Any]) async throws -> [String: Any] {
        let call: [String: Any] = ["jsonrpc": "2.0", "id": 1, "method": method, "params": parameters]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: call), as: UTF8.self)
        let body = try await LoopbackSocket(port: port).request(text)
        return try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] ?? [:]
    }

    /// Returns a download's values.
    func status(_ gid: Any) async throws -> [String: Any] {
        try await call("aria2.tellStatus", gid) as? [String: Any] ?? [:]
    }
}
