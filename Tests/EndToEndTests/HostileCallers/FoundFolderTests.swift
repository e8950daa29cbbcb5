// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import ProcessFixtures
import Synchronization
import Testing
import TransferFiles

/// Folders that a program finds where it expects its own, made or swapped by another user of the machine.
@Suite(
    "Folders made by another user",
    .enabled(if: SecondUser.unavailabilityReason == nil, "\(SecondUser.unavailabilityReason ?? "")"))
struct FoundFolderTests {
    private static let bytes = ServedFile.content(30_000, seed: 3)

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = Digest(.sha256)
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.hexDigest
    }

    private let user: SecondUser
    private let program: Transferctl
    /// A folder that only this user can change, with a file that has the name of a file of the set.
    private let own: String
    private let list: String
    private var target: String { user.shared + "/set" }
    /// The name of the staging folder, as the other user computes it.
    private var staging: String {
        ".set.transfer-" + Self.digest(Array((list + "\0" + "\0" + target).utf8)).prefix(12)
    }

    init() throws {
        (user, program) = (try SecondUser(), try Transferctl())
        own = program.folder.path + "/own"
        list = program.folder.path + "/set.meta4"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: own + "/a.bin"))
    }

    private func write(listOf server: HostileServer, count: Int = 1) throws {
        let files = ["a.bin"] + (1..<count).map { "f\($0)" }
        let text = files.map {
            "<file name='\($0)'><size>30000</size><hash type='sha-256'>\(Self.digest(Self.bytes))</hash>"
                + "<url>\(server.url("/" + $0))</url></file>"
        }
        try "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(text.joined())</metalink>"
            .write(toFile: list, atomically: true, encoding: .utf8)
    }

    private func expectOwnFile() {
        #expect(FileManager.default.contents(atPath: own + "/a.bin") == Data("mine".utf8))
    }

    // MARK: Sets of files

    @Test(
        "A staging folder that another user made first, or a link in its place, is refused",
        arguments: [
            """
            os.mkdir(N, 0o777); os.chmod(N, 0o777); os.mkdir(N + '/files'); open(N + '/complete', 'w')
            entry = '{"path":"../../own/a.bin","urls":["http://h/a"]}'
            open(N + '/list.json', 'w').write('{"name":"n","files":[' + entry + ']}')
            """,
            "os.mkdir(N, 0o777); os.chmod(N, 0o777); os.symlink(OWN, N + '/files')", "os.symlink(OWN, N)",
            "open(N, 'w')",
        ])
    func madeFirst(attack: String) async throws {
        let server = try HostileServer { ServedFile(bytes: Self.bytes).serve($0, $1) }
        defer { server.stop() }
        try write(listOf: server)
        try user.run("N = '\(staging)'; OWN = '\(own)'\n" + attack)
        let (status, run) = try await program.run(["get", "--set", list, "-d", target])
        #expect(status == 2 && run.errors.contains("cannot stage files: \(user.shared)/\(staging) "), "\(run.errors)")
        expectOwnFile()
        #expect(server.requests.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test(
        "A staging folder that is swapped while a file arrives leads nowhere else, and nothing else is removed",
        arguments: [
            // A link to a folder of the victim.
            "os.mkdir('evil'); os.symlink(OWN, 'evil/files'); os.rename(N, 'aside'); os.rename('evil', N)",
            // Another folder of the victim, which the other user may rename but not change.
            "os.rename(N, 'aside'); os.rename('thesis', N)",
        ])
    func swapped(attack: String) async throws {
        let user = user
        let code = "N = '\(staging)'; OWN = '\(own)'\n" + attack
        let server = try HostileServer { request, connection in
            try? user.run(code)
            ServedFile(bytes: Self.bytes).serve(request, connection)
        }
        defer { server.stop() }
        try write(listOf: server)
        let thesis = user.shared + "/thesis"
        try FileManager.default.createDirectory(atPath: thesis + "/files", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: thesis + "/files/chapter"))
        let (status, run) = try await program.run(["get", "--set", list, "-d", target, "--retries", "0"])
        // The file arrives in the folder that was opened before the swap.
        #expect(status == 0, "\(run.errors)")
        #expect(FileManager.default.contents(atPath: target + "/a.bin") == Data(Self.bytes))
        expectOwnFile()
        let places = [thesis, user.shared + "/" + staging].map { $0 + "/files" }
        let chapters = places.filter { FileManager.default.contents(atPath: $0 + "/chapter") == Data("mine".utf8) }
        #expect(chapters.count == 1, "\(run.errors)")
        #expect(chapters.allSatisfy { !FileManager.default.fileExists(atPath: $0 + "/a.bin") })
    }

    @Test("While another user swaps the staging folder in a loop, no file of a set arrives anywhere else")
    func swapsInLoop() async throws {
        let server = try HostileServer { ServedFile(bytes: Self.bytes).serve($0, $1) }
        defer { server.stop() }
        try write(listOf: server, count: 40)
        let attacker = try user.start(
            """
            import ctypes
            os.mkdir('evil'); os.symlink('\(own)', 'evil/files')
            exchange = ctypes.CDLL(None).renameat2
            while True: exchange(-100, b'\(staging)', -100, b'evil', 2)
            """)
        defer { attacker.signal(SIGKILL) }
        for _ in 0..<3 {
            _ = try await program.run(["get", "--set", list, "-d", target, "--retries", "0", "--overwrite"])
            expectOwnFile()
            #expect(try FileManager.default.contentsOfDirectory(atPath: own) == ["a.bin"])
        }
    }

    @Test("A staged file of an interrupted run is used only if it still has the checksum of the list")
    func staged() async throws {
        let isBroken = Mutex(true)
        let server = try HostileServer { request, connection in
            guard request.target != "/f1" || !isBroken.withLock({ $0 }) else {
                connection.respond("410 Gone")
                return
            }
            ServedFile(bytes: Self.bytes).serve(request, connection)
        }
        defer { server.stop() }
        try write(listOf: server, count: 3)
        let arguments = ["get", "--set", list, "-d", target]
        #expect(try await program.run(arguments).status == 1)
        let changed = user.shared + "/\(staging)/files/a.bin"
        let handle = try #require(FileHandle(forUpdatingAtPath: changed))
        try handle.write(contentsOf: Data("other".utf8))
        try handle.close()
        isBroken.withLock { $0 = false }
        let (status, run) = try await program.run(arguments)
        #expect(status == 0, "\(run.errors)")
        for name in ["a.bin", "f1", "f2"] {
            #expect(FileManager.default.contents(atPath: target + "/" + name) == Data(Self.bytes))
        }
        // The right file was not requested again.
        #expect(server.requests.count { $0.target == "/f2" } == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: user.shared) == ["set"])
    }

    // MARK: State

    @Test(
        "A state folder or a folder in it that another user made, and a link of another user, are refused",
        arguments: [
            "os.makedirs('state/get/partial', 0o777); [os.chmod(p, 0o777) for p in ('state', 'state/get')]",
            "os.mkdir('evil'); os.chmod('evil', 0o777); os.symlink('evil', 'state')", "",
        ])
    func state(attack: String) async throws {
        let server = try HostileServer { ServedFile(bytes: Self.bytes).serve($0, $1) }
        defer { server.stop() }
        try user.run(attack)
        let state = user.shared + "/state"
        let (status, run) = try await program.run(["get", server.url("/a.bin"), "--state-dir", state])
        #expect(status == 2 && run.errors.contains("cannot use the state folder \(state)/get ("), "\(run.errors)")
        #expect(server.requests.isEmpty)
        let daemon = try ChildProcess(
            builtProgram("transferd"), ["--state-dir", state, "--bus", "unix:path=/nowhere"],
            environment: program.environment, output: "/dev/null", errors: program.folder.path + "/errors")
        #expect(try await daemon.wait(within: 60) != 0)
        let errors = try String(contentsOfFile: program.folder.path + "/errors", encoding: .utf8)
        #expect(errors.contains("cannot use the state folder \(state) ("), "\(errors)")
    }

    @Test("A folder of partial files that belongs to another user is refused")
    func partials() async throws {
        let server = try HostileServer { ServedFile(bytes: Self.bytes).serve($0, $1) }
        defer { server.stop() }
        let partial = program.folder.path + "/state/transferd/get/partial"
        try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: true)
        #expect(chown(partial, 65_534, 65_534) == 0)
        let (status, run) = try await program.run(["get", server.url("/a.bin"), "--retries", "0"])
        #expect(status == 1 && run.errors.contains("\(partial) belongs to another user"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: partial).isEmpty)
    }

    // MARK: Programs

    @Test("Neither root nor a user installs units that start a program which another user can replace")
    func units() async throws {
        let folder = user.shared + "/programs"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["transferctl", "transferd"] {
            try FileManager.default.copyItem(atPath: Transferctl.path, toPath: folder + "/" + name)
        }
        var program = program
        program.executable = folder + "/transferctl"
        program.environment["XDG_DATA_HOME"] = program.folder.path + "/data"
        for arguments in [
            ["service", "install"], ["service", "install", "--system"],
            ["gate", "install", "no-such-unit", "--when", "ac", "--system"],
            ["gate", "install", "no-such-unit", "--when", "ac", "--user"],
        ] {
            let (status, run) = try await program.run(arguments)
            // The first fault may be that of the folder for temporary files.
            #expect(
                status == 2 && run.errors.contains(#/ would run \S+, but other users can write to /#), "\(run.errors)")
        }
        for name in ["data", "config"] {
            #expect(!FileManager.default.fileExists(atPath: program.folder.path + "/" + name))
        }
    }
}
