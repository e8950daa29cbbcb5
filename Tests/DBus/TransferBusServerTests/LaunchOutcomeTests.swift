// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferSessions

@testable import TransferBusServer

@Suite("Launch outcomes from D-Bus errors")
struct LaunchOutcomeTests {
    private func kind(_ name: String?, isThere: Bool = false) -> String {
        let error = BusCallError(name: name.map { "org.freedesktop.DBus.Error." + $0 }, message: "why")
        switch LaunchOutcome(error, of: "org.example.App", isThere: isThere) {
        case .started: return "started"
        case .missing(let words): return words.contains("why") ? "missing" : ""
        case .crashed(let words): return words.contains("why") ? "crashed" : ""
        case .silent(let words): return words.contains("why") ? "silent" : ""
        }
    }

    @Test(
        "Errors of the bus and errors of the app have different outcomes",
        arguments: [
            ("ServiceUnknown", "missing"), ("Spawn.ServiceNotFound", "missing"), ("Spawn.ExecFailed", "missing"),
            ("UnknownMethod", "missing"), ("UnknownObject", "missing"), ("Spawn.ChildExited", "crashed"),
            ("Spawn.ChildSignaled", "crashed"), ("NoReply", "crashed"), ("TimedOut", "silent"), (nil, "silent"),
            ("Failed", "silent"),
        ])
    func errors(name: String?, outcome: String) {
        #expect(kind(name) == outcome)
    }

    @Test("An app that is running but does not reply is silent")
    func stillThere() {
        #expect(kind("NoReply", isThere: true) == "silent")
    }

    @Test("The path of an app's object is derived from its bus name")
    func paths() {
        #expect(TransferBusName.appPath(of: "org.example.My-App") == "/org/example/My_App")
    }
}
