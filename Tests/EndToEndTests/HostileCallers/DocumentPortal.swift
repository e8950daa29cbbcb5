// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import RawBus

/// The real document portal on a private bus.
struct DocumentPortal {
    private static let program = "/usr/libexec/xdg-document-portal"
    private static let store = "/usr/libexec/xdg-permission-store"
    private static let name = "org.freedesktop.portal.Documents"
    private static let path = "/org/freedesktop/portal/documents"

    /// The reason that the portal cannot run here, or `nil` if it can.
    static let unavailabilityReason: String? = {
        let files = FileManager.default
        if !files.isExecutableFile(atPath: program) { return "not installed: xdg-desktop-portal" }
        if open("/dev/fuse", O_RDWR | O_CLOEXEC) < 0 { return "this machine has no /dev/fuse" }
        return nil
    }()

    /// Writes the service files by which the bus starts the portal and its permission store on demand.
    static func install(on bus: PrivateBus, runtime: String, data: String) throws {
        chmod(runtime, 0o700)
        for (name, program) in [(name, program), ("org.freedesktop.impl.portal.PermissionStore", store)] {
            let words = [
                "/usr/bin/env", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)", "XDG_RUNTIME_DIR=\(runtime)",
                "XDG_DATA_HOME=\(data)", program,
            ]
            try "[D-BUS Service]\nName=\(name)\nExec=\(words.joined(separator: " "))\n".write(
                toFile: bus.serviceFolder + "/\(name).service", atomically: true, encoding: .utf8)
        }
    }

    private let fixture: HostileFixture
    /// A connection that acts as the program with the file chooser.
    private let chooser: RawBusConnection

    private init(_ fixture: HostileFixture) throws {
        self.fixture = fixture
        chooser = try RawBusConnection(address: fixture.address)
    }

    /// Runs `body`, then ends the portal.
    static func with(_ fixture: HostileFixture, _ body: (DocumentPortal) async throws -> Void) async throws {
        let portal = try DocumentPortal(fixture)
        let result: Result<Void, any Error>
        do { result = .success(try await body(portal)) } catch { result = .failure(error) }
        try? await portal.end()
        try result.get()
    }

    /// Uses the connection on a thread of its own. The portal takes a while to start.
    private func choose<Value: Sendable>(
        _ body: @escaping @Sendable (RawBusConnection) throws -> Value
    ) async throws -> Value {
        // Guard: this task waits for the thread, and the tests of a portal are one task.
        nonisolated(unsafe) let chooser = chooser
        return try await onThread { try body(chooser) }
    }

    /// The folder in which the portal shows an app its documents.
    func documents(of app: String) -> String { fixture.folder.path + "/runtime/doc/by-app/\(app)" }

    /// Grants an app access to a folder, as a file chooser does.
    ///
    /// - Returns: The document's id.
    func share(_ folder: String, with app: String) async throws -> String {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        // 8 exports the folder with its contents; 2 keeps the grant across restarts.
        let call = WireMessage.call(
            "AddFull", of: Self.name, at: Self.path, to: Self.name,
            [
                .array(of: "h", [.handle(0)]), .uint32(10), .string(app), .texts(["read", "write"]),
            ])
        let reply = try await choose { try $0.reply(to: try $0.send(call, descriptors: [descriptor])) }
        guard let id = try reply.values().first?.members.first?.text else { throw FixtureError("AddFull: \(reply)") }
        return id
    }

    /// Revokes a document for all apps.
    func revoke(_ document: String) async throws {
        let reply = try await choose {
            try $0.call("Delete", of: Self.name, at: Self.path, to: Self.name, [.string(document)])
        }
        guard reply.kind == .reply else { throw FixtureError("Delete: \(reply)") }
    }

    /// The portal's process id, or `nil` if the portal does not run.
    func process() async -> pid_t? {
        let reply = try? await choose {
            try $0.call(
                "GetConnectionUnixProcessID", of: RawBusConnection.bus, at: "/org/freedesktop/DBus",
                to: RawBusConnection.bus, [.string(Self.name)])
        }
        return (try? reply?.values().first?.number).flatMap { pid_t(exactly: $0) }
    }

    /// Ends the portal and waits until its file system is unmounted.
    func end() async throws {
        guard let process = await process() else { return }
        kill(process, SIGTERM)
        try await waitForEnd(of: process, within: 30)
        let root = fixture.folder.path + "/runtime/doc"
        try await waitUntil("its file system is gone", within: 30) {
            !FileManager.default.fileExists(atPath: root + "/by-app")
        }
    }
}
