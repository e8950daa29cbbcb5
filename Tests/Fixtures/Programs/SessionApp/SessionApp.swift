// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation
import Synchronization

/// The background session of an app, with a log of its events.
final class SessionApp: Sendable {
    private let log: EventLog
    private let exitsAfterEvents: Bool
    /// The credentials for authentication challenges, or `nil` to leave them unanswered.
    private let login: Login?
    /// The folder into which finished files are moved with pauses, or `nil` to leave the files.
    private let moveFolder: String?
    private let session = Mutex<BackgroundSession?>(nil)
    private let acknowledges = Mutex(true)

    /// The identifier of the shared container for the app's sessions.
    private let container: String?
    /// The URL to download again after each completed task, until `count` tasks have been created.
    private let chain: (count: Int, url: String)?

    /// The credentials for an authentication challenge.
    enum Login {
        case user(String, password: String)
        case token(String)
    }

    init(
        log: EventLog, exitsAfterEvents: Bool, moveFolder: String?, container: String?,
        chain: (count: Int, url: String)?,
        login: Login?
    ) {
        self.log = log
        self.login = login
        self.moveFolder = moveFolder
        self.container = container
        self.chain = chain
        self.exitsAfterEvents = exitsAfterEvents
    }

    func open(_ identifier: String) {
        // An event from an earlier session must no longer end this process.
        session.withLock { $0 = nil }
        do {
            var configuration = BackgroundSessionConfiguration(identifier: identifier)
            configuration.sharedContainerIdentifier = container
            if case .token? = login { configuration.answersBearerChallenges = true }
            let session = try BackgroundSession(configuration)
            self.session.withLock { $0 = session }
            log.write("opened \(identifier)")
            Task { await follow(session) }
        } catch {
            log.write("refused \(error.code.rawValue) \(error.owner ?? 0): \(error.message)")
        }
    }

    private func follow(_ session: BackgroundSession) async {
        for await event in session.events {
            switch event.kind {
            case .received(let task, let bytes, let total):
                log.write("received \(task.identifier) \(bytes) \(total ?? -1)")
            case .sent(let task, let bytes, let total): log.write("sent \(task.identifier) \(bytes) \(total ?? -1)")
            case .continued(let task, let offset, _): log.write("continued \(task.identifier) \(offset)")
            case .responded(let task, let response): log.write("responded \(task.identifier) \(response.statusCode)")
            case .downloaded(let task, let file):
                let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int ?? -1
                log.write("downloaded \(task.identifier) \(size) \(file.path)")
            case .body(let task, let data):
                log.write("body \(task.identifier) \(String(decoding: data, as: UTF8.self))")
            case .completed(let task, let error):
                log.write("completed \(task.identifier) \(error?.code.rawValue ?? 0)")
            case .willBegin(let task, let request):
                log.write("willbegin \(task.identifier) \(request.url?.lastPathComponent ?? "")")
                do { try task.begin() } catch { log.write("failed \(error)") }
            case .challenged(let task, let challenge):
                log.write("challenged \(task.identifier) \(challenge.scheme) \(challenge.host)")
                switch login {
                case .user(let user, let password)?: task.answer(user: user, password: password)
                case .token(let token)?: task.answer(token: token)
                case nil: break
                }
            case .finishedEvents: log.write("finished")
            case .invalidated(let error):
                log.write("invalidated \(error?.message ?? "")")
                // The session is gone and has no more work, and perhaps no test remains to end this process.
                if self.session.withLock({ $0 === session }) { exit(0) }
            }
            if let moveFolder { move(event, to: moveFolder) }
            if let chain, case .completed(let task, _) = event.kind, task.identifier < chain.count {
                perform("download \(chain.url)")
            }
            guard acknowledges.withLock({ $0 }) else { continue }
            event.acknowledge()
            if moveFolder != nil { log.write("acknowledged") }
            if case .finishedEvents = event.kind, exitsAfterEvents {
                log.write("ended")
                exit(0)
            }
        }
    }

    /// Moves a finished file into its folder, with random pauses in which the process may be killed.
    private func move(_ event: BackgroundEvent, to moveFolder: String) {
        usleep(.random(in: 0...10_000))
        guard case .downloaded(let task, let file) = event.kind else { return }
        do {
            try FileManager.default.moveItem(atPath: file.path, toPath: moveFolder + "/\(task.identifier)")
            log.write("moved \(task.identifier)")
        } catch {
            let isThere = FileManager.default.fileExists(atPath: moveFolder + "/\(task.identifier)")
            log.write(isThere ? "moved before \(task.identifier)" : "lost \(task.identifier) \(error)")
        }
        usleep(.random(in: 0...10_000))
    }

    /// Executes one line of input.
    func perform(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        do {
            switch words.first {
            case "download": try begin(session.withLock { try $0?.download(request(words[1])) })
            case "later":
                let task = try session.withLock { try $0?.download(request(words[2])) }
                task?.earliestBeginDate = Date(timeIntervalSinceNow: Double(words[1]) ?? 0)
                begin(task)
            case "upload":
                try begin(
                    session.withLock { session in
                        try session?.upload(request(words[2]), fromFile: URL(fileURLWithPath: words[1]))
                    })
            case "write":
                try Data(words[2].utf8).write(to: URL(fileURLWithPath: words[1]))
                log.write("wrote \(words[1])")
            case "acknowledge": acknowledges.withLock { $0 = words[1] != "no" }
            case "tasks":
                Task { [session = session.withLock { $0 }] in
                    let tasks = try await session?.unfinishedTasks() ?? []
                    log.write(
                        "tasks" + tasks.map { " \($0.identifier):\($0.countOfBytesReceived)" }.joined())
                }
            case "front": BackgroundApplication.shared.isInFront = words[1] == "yes"
            case "open": open(words[1])
            default: log.write("unknown \(line)")
            }
        } catch {
            log.write("failed \(error)")
        }
    }

    private func request(_ text: String) throws -> URLRequest {
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return URLRequest(url: url)
    }

    private func begin(_ task: BackgroundTask?) {
        guard let task else { return log.write("no session") }
        task.resume()
        log.write("submitted \(task.identifier)")
    }
}
