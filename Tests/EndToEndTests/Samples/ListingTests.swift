// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of programs that consist of listings as printed in articles and tutorials, but for import lines, `@main`, and
/// what the texts leave out.
@Suite(
    "Listings written for Apple's platforms",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ListingTests {
    @Test("The five listings of Apple's article download a file while their app is not running")
    func article() async throws {
        try await ListingFixture.with("ArticleApp") { fixture in
            let source = try fixture.server.serve("episode.bin", bytes: 300_000)
            try await fixture.submit([fixture.server.url("episode.bin")], tasks: 1)
            // The task is discretionary and may begin in an hour. A command of the user starts it.
            try await fixture.daemon.run("now", "--all")
            try await fixture.waitForEnd { fixture.documents.count == 1 }
            let name = try #require(fixture.documents.first)
            #expect(RandomFile.same(fixture.home + "/Documents/" + name, source))
        }
    }
}

/// A program that consists of listings, in a folder with an Info.plist, with a real daemon and a real server.
private struct ListingFixture {
    let server: NginxServer
    let daemon: DaemonFixture
    let home: String
    private let folder: TemporaryFolder
    private let program: String
    private let environment: [String: String]

    init(_ name: String) async throws {
        server = try await NginxServer()
        folder = try TemporaryFolder()
        (home, program) = (folder.path, folder.path + "/app/" + name)
        let files = FileManager.default
        for name in ["app", "Documents"] {
            try files.createDirectory(atPath: home + "/" + name, withIntermediateDirectories: true)
        }
        try files.copyItem(atPath: builtProgram(name), toPath: program)
        try """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.Listings</string></dict></plist>
        """.write(toFile: home + "/app/Info.plist", atomically: true, encoding: .utf8)
        // Foundation takes root's home folder from the password file and ignores HOME.
        let settings = [
            "HOME": home, "CFFIXED_USER_HOME": home, "XDG_CACHE_HOME": home + "/cache", "XDG_DATA_HOME": home + "/data",
        ]
        daemon = try await DaemonFixture { _ in settings }
        environment = daemon.program.environment.merging(settings) { $1 }
    }

    static func with(
        _ name: String, _ body: (ListingFixture) async throws -> Void
    ) async throws {
        let fixture = try await ListingFixture(name)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        for process in fixture.processes { kill(process, SIGKILL) }
        await fixture.daemon.end()
        try result.get()
    }

    /// Starts the program, and kills it after the daemon has its tasks. The server stands still meanwhile, so that no
    /// event reaches a program in the foreground.
    func submit(_ arguments: [String], tasks: Int) async throws {
        server.setStopped(true)
        defer { server.setStopped(false) }
        let app = try ChildProcess(program, arguments, environment: environment, output: home + "/output")
        try await waitUntil("the tasks", within: 60) {
            (try await daemon.json("list", "--all")["transfers"] as? [Any])?.count == tasks
        }
        app.end()
        try await app.wait(within: 60)
    }

    /// Waits until the files are there, all events are handled, and the program that the daemon started has ended.
    func waitForEnd(_ isComplete: () -> Bool) async throws {
        do {
            try await waitUntil("the files", within: 120) { isComplete() }
            try await waitUntil("all events are handled", within: 60) {
                (try await daemon.json("apps")["apps"] as? [[String: Any]])?.allSatisfy {
                    $0["waiting-events"] as? Int == 0
                }
                    == true
            }
            try await waitUntil("the program ends", within: 60) { processes.isEmpty }
        } catch { throw FixtureError("\(error)\n\(documents)") }
    }

    var documents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: home + "/Documents")) ?? []).sorted()
    }

    private var processes: [pid_t] { ProcessList.running(program) }
}
