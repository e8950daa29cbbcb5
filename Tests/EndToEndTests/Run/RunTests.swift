// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Tests of `transferctl run` on assumed conditions: streams, signals, and exit statuses.
@Suite("run, end to end")
struct RunTests {
    private let onBattery = ["--assume", "power=battery,battery=60", "--when", "ac"]

    /// Runs a shell script as the command.
    private func run(_ options: [String] = [], _ script: String) async throws -> (status: Int32, run: Transferctl.Run) {
        try await Transferctl().run(["run"] + options + ["--", "sh", "-c", script], within: 60)
    }

    @Test("Without conditions, the command starts at once, and its status and output are its own")
    func status() async throws {
        let result = try await run([], "printf 'a\\000b'; echo oops >&2; exit 7")
        #expect(result.status == 7)
        #expect(result.run.output == "a\u{0}b")
        #expect(result.run.errors == "oops\n")
        #expect(try await run(["-v"], "true").run.errors.contains("sh: started"))
    }

    @Test("A signal that ends the command becomes 128 plus its number")
    func signaled() async throws {
        #expect(try await run([], "kill -SEGV $$").status == 139)
        #expect(try await run([], "kill -KILL $$").status == 137)
    }

    @Test("A program that does not exist is 127, one that cannot be executed 126, and both are named")
    func missing() async throws {
        let program = try Transferctl()
        let missing = try await program.run(["run", "--", "no-such-program", "x"])
        #expect(missing.status == 127)
        #expect(missing.run.errors.contains("cannot run 'no-such-program': No such file"))
        let file = program.folder.path + "/data"
        try "no program".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await program.run(["run", "--", file]).status == 126)
    }

    @Test("Standard input, further open files, the folder, and the environment reach the command unchanged")
    func streams() async throws {
        let program = try Transferctl(environment: ["GREETING": "hello world"])
        let text = String(repeating: "line of input\n", count: 20_000)
        try text.write(toFile: program.downloads + "/input", atomically: true, encoding: .utf8)
        try "from three".write(toFile: program.downloads + "/three", atomically: true, encoding: .utf8)
        let script =
            "cat input | \(Transferctl.path) run -- sh -c 'cat | wc -l; cat <&3; echo; echo $GREETING; pwd; ls /proc/self/fd | wc -l' 3<three | cat"
        let log = program.folder.path + "/log"
        let process = try ChildProcess(
            "/bin/sh", ["-c", script], environment: program.environment, output: log, directory: program.downloads)
        #expect(try await process.wait(within: 60) == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
        // The standard streams, the third file, and the folder that ls itself reads.
        #expect(lines == ["20000", "from three", "hello world", program.downloads, "5"], "\(lines)")
    }

    @Test("A command that waits says why; Ctrl-C and SIGTERM end the wait, and the command does not run")
    func interrupted() async throws {
        for (signal, status) in [(SIGINT, Int32(130)), (SIGTERM, 143)] {
            let program = try Transferctl()
            let run = try program.start(["run"] + onBattery + ["--", "touch", "ran"])
            try await run.waitForMessage("touch: waiting: ")
            #expect(run.errors.contains("battery"), "\(run.errors)")
            run.process.signal(signal)
            #expect(try await run.process.wait(within: 20) == status)
            #expect(!FileManager.default.fileExists(atPath: program.downloads + "/ran"))
            #expect(run.errors.contains("interrupted; the command did not run"))
        }
    }

    @Test("--quiet prints no reasons; wrong usage is status 2 and names the way out")
    func quiet() async throws {
        let program = try Transferctl()
        let run = try program.start(["run", "-q"] + onBattery + ["--by", "+2s", "--", "echo", "done"])
        #expect(try await run.process.wait(within: 30) == 0)
        #expect(run.errors == "" && run.output == "done\n")
        let wrong = try await program.run(["run", "--when", "ac", "echo"])
        #expect(wrong.status == 2 && wrong.run.errors.contains("write the command after --"))
    }

    @Test("At its deadline, the command starts on battery")
    func deadline() async throws {
        // Kept to the end, because its folder is the command's.
        let program = try Transferctl()
        let began = Date()
        let run = try program.start(["run"] + onBattery + ["--by", "+3s", "--", "sh", "-c", "exit 4"])
        #expect(try await run.process.wait(within: 30) == 4)
        let seconds = Date().timeIntervalSince(began)
        print("started at the deadline after \(seconds) s")
        #expect(seconds >= 2.9 && seconds < 10)
        #expect(run.errors.contains("waiting"))
        withExtendedLifetime(program) {}
    }

    @Test("--not-before holds even if the conditions are met")
    func notBefore() async throws {
        let began = Date()
        #expect(try await Transferctl().run(["run", "--not-before", "+2s", "--", "true"]).status == 0)
        #expect(Date().timeIntervalSince(began) >= 1.9)
    }

    @Test("Signals to the program reach the command once, and the command decides how to end")
    func passedOn() async throws {
        let program = try Transferctl()
        let script = "trap 'echo usr1' USR1; trap 'echo term; exit 9' TERM; echo ready; while :; do sleep 0.05; done"
        let run = try program.start(["run", "--", "sh", "-c", script])
        try await run.waitUntil("the command runs", within: 30) { run.output == "ready\n" }
        run.process.signal(SIGUSR1)
        try await run.waitUntil("SIGUSR1 arrives", within: 30) { run.output.contains("usr1") }
        run.process.signal(SIGTERM)
        #expect(try await run.process.wait(within: 20) == 9)
        #expect(run.output == "ready\nusr1\nterm\n")
    }

    @Test("A signal that was ignored at the start stays ignored in the command, as nohup requires")
    func ignored() async throws {
        let program = try Transferctl()
        let log = program.folder.path + "/log"
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "sh", "-c",
                "trap '' HUP; exec \(Transferctl.path) run -- sh -c 'grep ^SigIgn /proc/self/status; kill -HUP $$; echo alive'",
            ], environment: program.environment, output: log)
        #expect(try await process.wait(within: 30) == 0)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("alive"))
        let digits = try #require(text.split(separator: "\n").first?.split(separator: "\t").last)
        let mask = try #require(UInt64(digits, radix: 16), "\(text)")
        #expect(mask & 1 << UInt64(SIGHUP - 1) != 0)
        // SIGPIPE, which this program ignores for its own output, has its default action in the command. posix_spawn
        // ignores signal 32, which glibc uses internally.
        #expect(mask & 1 << UInt64(SIGPIPE - 1) == 0)
    }

    @Test("Needs no bus and no home folder")
    func bare() async throws {
        let program = try Transferctl()
        let process = try ChildProcess(
            "/usr/bin/env",
            ["-i", "PATH=/usr/bin:/bin", "HOME=\(program.folder.path)", Transferctl.path, "run", "--", "echo", "ok"],
            output: program.folder.path + "/log")
        #expect(try await process.wait(within: 30) == 0)
        #expect(try String(contentsOfFile: program.folder.path + "/log", encoding: .utf8) == "ok\n")
    }
}
