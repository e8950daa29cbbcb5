// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus

/// A method call or a property read that any caller can send.
struct HostileCall: Sendable {
    var path: String
    var interface: String
    var member: String
    var arguments: [WireValue] = []
    /// The paths of files that the caller opens and passes as descriptors.
    var files: [String] = []

    /// The call in the syntax of the caller's program.
    var words: String {
        let message = WireMessage.call(member, of: interface, at: path, to: "org.transferd", arguments)
        let signature = message.signature.isEmpty ? "-" : message.signature
        return ([path, interface, member, signature, Hexadecimal.text(message.body)] + files).joined(separator: " ")
    }
}

/// A reply or an error of the daemon.
enum HostileReply: CustomStringConvertible {
    case values([WireValue])
    case refused(name: String, text: String)

    init(_ line: String) throws {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        switch words.first {
        case "reply" where words.count == 3:
            var reader = WireReader(try Hexadecimal.bytes(words[2]))
            self = .values(try reader.values(of: words[1] == "-" ? "" : words[1]))
        case "error" where words.count == 3: self = .refused(name: words[1], text: words[2])
        default: throw FixtureError("unexpected output of the caller: \(line)")
        }
    }

    /// The first value of a reply, or `nil` for an error.
    var value: WireValue? {
        if case .values(let values) = self { values.first } else { nil }
    }

    /// The last part of the error's name, or `nil` for a reply.
    var error: String? {
        guard case .refused(let name, _) = self else { return nil }
        return name.split(separator: ".").last.map(String.init)
    }

    /// The error's text, or empty for a reply.
    var text: String {
        if case .refused(_, let text) = self { text } else { "" }
    }

    var description: String {
        switch self {
        case .values(let values): values.map(\.description).joined(separator: ", ")
        case .refused(let name, let text): "\(name): \(text)"
        }
    }
}

/// A running `HostileCaller`.
final class HostileProcess: Sendable {
    let process: FixtureProcess
    /// The process id of the caller; 0 if the caller runs in its own process namespace.
    let id: Int32
    /// The unique bus name of the caller.
    let name: String

    /// The path of the built program.
    static let program = builtProgram("HostileCaller")

    /// Runs a command that becomes the caller's program, and waits until the caller is ready.
    ///
    /// - Parameter hidesProcesses: A Boolean value that indicates whether the command runs in its own process
    ///   namespace.
    init(_ command: [String], hidesProcesses: Bool = false) async throws {
        process = try FixtureProcess(command)
        let line = try await process.output.next().text
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3, words[0] == "ready", let id = Int32(words[1]) else { throw FixtureError(line) }
        self.id = hidesProcesses ? 0 : id
        name = words[2]
    }

    /// Starts the program, or a copy of it, outside any sandbox.
    convenience init(address: String, program: String = HostileProcess.program) async throws {
        try await self.init([program, address])
    }

    /// Sends the caller a command.
    ///
    /// - Returns: The line that the caller prints.
    @discardableResult
    func perform(_ command: String) async throws -> String {
        try process.send(command)
        return try await process.output.next(within: .seconds(70)).text
    }

    /// Sends a call and waits for its reply.
    func call(_ call: HostileCall) async throws -> HostileReply {
        try HostileReply(await perform("call \(call.words)"))
    }

    /// Calls a method of the manager.
    func manager(_ member: String, _ arguments: [WireValue] = [], files: [String] = []) async throws -> HostileReply {
        try await call(
            HostileCall(
                path: HostileFixture.managerPath, interface: HostileFixture.manager, member: member,
                arguments: arguments,
                files: files))
    }

    /// Calls a method of a session object.
    func session(_ path: String, _ member: String, _ arguments: [WireValue] = []) async throws -> HostileReply {
        try await call(
            HostileCall(path: path, interface: HostileFixture.session, member: member, arguments: arguments))
    }

    /// Claims a bus name, by which the daemon identifies the app.
    func own(_ name: String) async throws {
        let line = try await perform("own \(name)")
        guard line == "owned" else { throw FixtureError("\(name): \(line)") }
    }

    /// Kills the caller, even if it is stopped, and waits for its end.
    func end() async {
        // A caller in its own process namespace exits at the end of its input.
        if id > 0 { kill(id, SIGKILL) }
        await process.end()
    }
}
