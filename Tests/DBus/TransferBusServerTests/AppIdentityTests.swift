// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite("Identification of apps")
struct AppIdentityTests {
    @Test("A connection's own names take precedence over the names of its process's other connections")
    func names() {
        var registry = NameRegistry()
        #expect(registry.add("org.example.One", to: ":1.1") == true)
        registry.setProcess(10, of: ":1.1")
        #expect(registry.add("org.example.One.Helper", to: ":1.1") == false)
        #expect(registry.names(of: ":1.2", process: 10) == ["org.example.One", "org.example.One.Helper"])
        #expect(registry.names(of: ":1.2", process: 11) == [])
        #expect(registry.add("org.example.Two", to: ":1.2") == true)
        #expect(registry.names(of: ":1.2", process: 10) == ["org.example.Two"])
        registry.remove("org.example.One", from: ":1.1")
        #expect(registry.names(of: ":1.3", process: 10) == ["org.example.One.Helper"])
        #expect(registry.owns(":1.2", "org.example.Two"))
        registry.remove(owner: ":1.2")
        #expect(!registry.owns(":1.2", "org.example.Two"))
        // A process that is reported after its connection has closed is not remembered.
        registry.setProcess(10, of: ":1.2")
        #expect(registry.add("org.example.Three", to: ":1.2") == true)
    }

    @Test("A program started by the daemon, and its children, count as the app until the program ends")
    func launched() throws {
        let programs = LaunchedPrograms()
        let leader = getsid(0)
        #expect(programs.app(of: getpid()) == nil)
        #expect(programs.add("org.example.App") { leader } == leader)
        #expect(programs.app(of: getpid()) == "org.example.App")
        #expect(programs.isRunning("org.example.App") && !programs.isRunning("org.example.Other"))
        programs.remove(leader)
        #expect(programs.app(of: getpid()) == nil)
    }

    @Test(
        "The unit that the daemon started identifies the app, regardless of the bus names it owns",
        arguments: ["/opt/my app/run", "org.example.App-1", "firefox", "ä\\b@c.service", "a/../../b\n0::/x"])
    func units(app: String) throws {
        let unit = try #require(UnitName.unit(of: app, number: 4711))
        for group in [
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/\(unit)\n",
            "12:pids:/x\n1:name=systemd:/user.slice/user@1000.service/app.slice/\(unit)/inner\n",
        ] {
            let caller = CallerClassifier().caller(
                ":1.1", process: 1, BusCallerTests.facts(cgroup: group), ownedNames: ["org.example.Other"])
            #expect(caller.app == app)
        }
        #expect(unit.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        #expect(UnitName.unit(of: String(repeating: "a", count: 300), number: 1) == nil)
    }

    @Test("The sandbox takes precedence over the unit, and units of other types are ignored")
    func otherUnits() throws {
        let unit = try #require(UnitName.unit(of: "org.example.App", number: 1))
        var facts = BusCallerTests.facts(cgroup: "0::/app.slice/\(unit)\n")
        facts.flatpakInfo = "[Application]\nname=org.example.Sandboxed\n"
        #expect(CallerClassifier().caller(":1.1", process: 1, facts).app == "org.example.Sandboxed")
        for group in [
            "0::/app.slice/app-transferd-x@1.scope", "5:pids:/\(unit)", "0::/app.slice/app-transferd-@1.service",
        ] {
            #expect(UnitName.app(inGroup: group) == nil)
        }
    }
}
