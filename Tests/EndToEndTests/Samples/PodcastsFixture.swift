// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures

/// The sample `podcasts`, installed in a folder of its own, with a feed on a real server and a real daemon.
struct PodcastsFixture {
    static let name = "org.example.Podcasts"
    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Samples/podcasts")

    let sessions: SessionFixture
    /// The path of the installed program.
    let program: String
    /// The environment of the program.
    private let environment: [String: String]

    /// Installs the program as the article *Porting an iOS Download Manager* describes.
    ///
    /// - Parameter rate: The limit of each connection in bytes per second, or `nil` for no limit.
    init(rate: Int? = nil) async throws {
        sessions = try await SessionFixture(rate: rate)
        let (files, root) = (FileManager.default, sessions.daemon.program.folder.path)
        try files.createDirectory(atPath: root + "/opt", withIntermediateDirectories: true)
        program = root + "/opt/podcasts"
        try files.copyItem(atPath: builtProgram("podcasts"), toPath: program)
        try files.copyItem(atPath: Self.sample.path + "/Info.plist", toPath: root + "/opt/Info.plist")
        environment = sessions.daemon.program.environment.merging(["XDG_DATA_HOME": root + "/data"]) { $1 }
        let variables = environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let service = try String(contentsOfFile: Self.sample.path + "/\(Self.name).service", encoding: .utf8)
            .replacingOccurrences(of: "/opt/podcasts/podcasts", with: "/usr/bin/env \(variables) \(program)")
        try service.write(
            toFile: sessions.daemon.bus.serviceFolder + "/\(Self.name).service", atomically: true, encoding: .utf8)
    }

    /// Runs `body`, then ends the app, the daemon, and its bus.
    static func with(rate: Int? = nil, _ body: (PodcastsFixture) async throws -> Void) async throws {
        let fixture = try await PodcastsFixture(rate: rate)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        fixture.killApp()
        await fixture.sessions.daemon.end()
        try result.get()
    }

    // MARK: The feed

    /// Serves a feed with `count` episodes of about `bytes` bytes, and returns their files on the server.
    @discardableResult
    func publish(_ count: Int, bytes: Int) throws -> [String] {
        let server = sessions.server
        let files = try (1...count).map { number in
            let path = server.folder.path + "/www/\(number).mp3"
            guard !FileManager.default.fileExists(atPath: path) else { return path }
            return try server.serve("\(number).mp3", bytes: bytes + number, seed: UInt64(number))
        }
        let items = (1...count).map { number in
            """
            <item><title><![CDATA[Episode \(number)]]></title><guid>urn:episode:\(number)</guid>
            <enclosure url="\(server.url("\(number).mp3"))" length="\(bytes + number)" type="audio/mpeg"/></item>
            """
        }
        try "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>A</title>\(items.joined())</channel></rss>"
            .write(toFile: server.folder.path + "/www/feed.xml", atomically: true, encoding: .utf8)
        return files
    }

    var feed: String { sessions.server.url("feed.xml") }

    /// The number of bytes of the first `count` episodes that the server has sent in excess of one copy of each.
    ///
    /// - Throws: `FixtureError` if the server has sent less than one copy of an episode.
    func superfluousBytes(of count: Int, bytes: Int) throws -> Int {
        let requests = sessions.server.requests()
        return try (1...count).reduce(0) { sum, number in
            let path = "/\(number).mp3"
            let sent = requests.filter { $0.path == path && $0.status < 300 }.map { Int($0.bytesSent) }.reduce(0, +)
            let size = bytes + number
            guard sent >= size else { throw FixtureError("\(path): \(sent) bytes sent, size \(size)") }
            return sum + sent - size
        }
    }

    // MARK: The library

    private var library: String { sessions.daemon.program.folder.path + "/data/podcasts" }

    /// The names of all files in the library's folder, including files that are being moved.
    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []).sorted() }

    /// The name of an episode in the library.
    func episode(_ number: Int) -> String { "Episode \(number) (urn:episode:\(number)).mp3" }

    /// Returns whether the library consists of these files, each complete, and of nothing else.
    func holds(_ sources: [String]) -> Bool {
        files == sources.indices.map { episode($0 + 1) }.sorted()
            && sources.enumerated().allSatisfy {
                RandomFile.same(library + "/" + episode($0.offset + 1), $0.element)
            }
    }

    // MARK: Processes

    /// Starts the program as a user does.
    func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(program, arguments, environment: environment, output: program + ".out")
    }

    /// Runs the program to its end, and returns its output.
    func run(_ arguments: String...) async throws -> String {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(program, arguments, environment: environment, output: folder.path + "/out")
        let status = try await process.wait(within: 120)
        let output = try String(contentsOfFile: folder.path + "/out", encoding: .utf8)
        guard status == 0 else { throw FixtureError("podcasts \(arguments) ended with \(status): \(output)") }
        return output
    }

    /// The processes of the program, whoever has started them.
    var processes: [pid_t] { ProcessList.running(program) }

    /// Kills every process of the program. Returns whether there was one.
    @discardableResult
    func killApp() -> Bool {
        let processes = processes
        for process in processes { kill(process, SIGKILL) }
        return !processes.isEmpty
    }

    /// The manager's entry for the app.
    func row() async throws -> [String: Any] { try await sessions.row(of: Self.name) }
}
