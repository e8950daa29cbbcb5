// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import Synchronization

// An app with a background session that a test controls: `SessionApp LOG [OPTION…]`. Each event is a line in LOG.
//
// - `--session ID` opens that session immediately.
// - `--name NAME` claims a bus name, by which the daemon calls the app.
// - `--move FOLDER` moves finished files into that folder.
// - `--relaunch [WORD…]` sets the relaunch command, by default this program with LOG.
// - `--give-up SECONDS` limits the time spent looking for the daemon.
// - `--container NAME` puts the app's sessions into that shared container.
// - `--registers NAME` registers the app to be launched for the sessions of that container.
// - `--chain COUNT URL` downloads URL again after each completed task, COUNT tasks in all.
// - `--login USER:PASSWORD` and `--token TOKEN` answer authentication challenges.
// - `--stays` keeps the app running after all events have been delivered.
//
// If the daemon launches the app for a session, the app opens that session and exits after all events are delivered.
// With `--stays`, `--login`, or `--token`, the app keeps running. The app also exits if its session becomes invalid
// without its own request.
//
// Commands on standard input: `download URL`, `later SECONDS URL`, `upload FILE URL`, `write FILE TEXT`,
// `acknowledge no`, `tasks`, `front yes|no`, and `open ID`.

/// The file that receives a line for each event.
struct EventLog {
    let path: String

    func write(_ line: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}

var words = Array(CommandLine.arguments.dropFirst())
guard let path = words.first else { exit(2) }
words.removeFirst()
let log = EventLog(path: path)
var session: String?
var name: String?
var relaunch: [String]?
var moveFolder: String?
var container: String?
var registered: Set<String>?
var stays = false
var chain: (count: Int, url: String)?
var reconnectTimeout = 60.0
var login: SessionApp.Login?
while let word = words.first {
    words.removeFirst()
    switch word {
    case "--session": session = words.isEmpty ? nil : words.removeFirst()
    case "--name": name = words.isEmpty ? nil : words.removeFirst()
    case "--move": moveFolder = words.isEmpty ? nil : words.removeFirst()
    case "--container": container = words.isEmpty ? nil : words.removeFirst()
    case "--registers": registered = words.isEmpty ? nil : [words.removeFirst()]
    case "--stays": stays = true
    case "--chain" where words.count > 1: chain = (Int(words.removeFirst()) ?? 0, words.removeFirst())
    case "--give-up": reconnectTimeout = Double(words.isEmpty ? "" : words.removeFirst()) ?? reconnectTimeout
    case "--login":
        let parts = words.isEmpty ? [] : words.removeFirst().split(separator: ":").map(String.init)
        if parts.count == 2 { login = .user(parts[0], password: parts[1]) }
    case "--token": login = words.isEmpty ? nil : .token(words.removeFirst())
    case "--relaunch":
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        relaunch = words.isEmpty ? [own, path] : words
        words = []
    default:
        log.write("unknown \(word)")
        exit(2)
    }
}
var options = DaemonChannel.Options()
options.reconnectTimeout = .seconds(reconnectTimeout)
options.relaunchCommand = { [relaunch] in relaunch }
options.containers = { [registered] in registered }
let channel = DaemonChannel(options: options)
SessionChannels.use(channel)
BackgroundApplication.shared.onEvents { session, done in
    log.write("handle \(session)")
    done()
}
let started = ProcessInfo.processInfo.environment["BACKGROUND_TRANSFER_SESSION"]
let app = SessionApp(
    log: log, exitsAfterEvents: started != nil && !stays && login == nil, moveFolder: moveFolder, container: container,
    chain: chain, login: login)
log.write("began \(getpid()) at \(Date().timeIntervalSince1970)\(started.map { " for \($0)" } ?? "")")
if let name {
    do {
        try channel.serve(as: name) { session in
            log.write("called \(session)")
            // A separate thread is needed, because opening a session waits for the calling thread.
            Thread.detachNewThread { app.open(session) }
        }
    } catch {
        log.write("no name: \(error)")
        exit(3)
    }
}
if let session = session ?? started { app.open(session) }
while let line = readLine() { app.perform(line) }
// An app launched for a session gets no input.
if started == nil, name == nil { exit(0) }
while true { sleep(1000) }
