// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel
import TransferPolicy
import TransferSessions

@Suite("Encoding of session values for the bus")
struct SessionCodecTests {
    /// Converts fields to GLib's representation and back, as the bus does.
    private func sent(_ fields: [String: VariantValue]) throws -> [String: VariantValue] {
        let variant = try VariantValue.dictionary(fields).variant(ofType: "a{sv}")
        return VariantValue(copying: variant).dictionary ?? [:]
    }

    private static var request: RequestDescription {
        var request = RequestDescription(
            url: "https://example.org/ä?b=c", method: "POST", headers: ["X-A": "1\t2", "B": ""], timeout: 7.5,
            allowsCellularAccess: false)
        (request.allowsExpensiveNetworkAccess, request.allowsConstrainedNetworkAccess) = (false, true)
        request.body = [0, 255]
        return request
    }

    private static let response = ResponseDescription(
        url: "https://example.org/b", status: 404, headers: ["Content-Type": "text/plain"])

    private static var full: TaskSnapshot {
        var snapshot = TaskSnapshot(identifier: 12, kind: .upload(path: "/tmp/a b"), request: request)
        snapshot.note = "kapitel\n1"
        snapshot.priority = 0.3
        snapshot.earliestBegin = WallTime(nanosecondsSinceEpoch: 1_795_392_000_123_456_789)
        snapshot.expectedToSend = 5
        snapshot.expectedToReceive = 0
        (snapshot.isSuspended, snapshot.isEnded) = (true, true)
        (snapshot.received, snapshot.sent, snapshot.total) = (1, 2, 3)
        snapshot.response = response
        snapshot.continues = "s.3"
        snapshot.name = TaskName(id: "épisode/7", fingerprint: "0a")
        var conditions = TaskConditions()
        conditions.isDiscretionary = false
        (conditions.constraints.power, conditions.constraints.batteryAbove) = (.ac, 50)
        (conditions.constraints.metered, conditions.constraints.linkKinds) = (.unmetered, [.wifi])
        conditions.constraints.deadline = WallTime(secondsSinceEpoch: 1_795_392_000)
        conditions.constraints.windows = [.init(start: 3600, end: 7200)]
        snapshot.conditions = conditions
        return snapshot
    }

    @Test("a task's name has 1 to 1000 bytes, and its conditions have no unknown keys")
    func names() throws {
        for id in ["", "a\0", String(repeating: "x", count: 1001)] {
            let fields: [String: VariantValue] = ["id": .string(id), "fingerprint": .string("f")]
            #expect(throws: BusFault.self) { try TaskName(fields) }
        }
        #expect(throws: BusFault.self) { try TaskConditions(["later": .bool(true)]) }
        #expect(try TaskConditions([:]) == TaskConditions())
    }

    @Test("a request's body is limited, and fields with default values are omitted for earlier versions")
    func bodies() throws {
        var request = RequestDescription(url: "http://h/")
        #expect(Set(request.fields.keys) == ["url", "cellular"])
        request.body = [UInt8](repeating: 0, count: RequestBody.longest)
        #expect(try RequestDescription(sent(request.fields)).body?.count == RequestBody.longest)
        request.body?.append(0)
        #expect(throws: BusFault.self) { try RequestDescription(sent(request.fields)) }
    }

    private static let plain = TaskSnapshot(
        identifier: 1, kind: .download, request: RequestDescription(url: "http://h/"))

    @Test("Settings survive a round trip")
    func settings() throws {
        var settings = SessionSettings(identifier: "épisodes")
        #expect(try SessionSettings(sent(settings.fields)) == settings)
        settings.isDiscretionary = true
        settings.sendsLaunchEvents = false
        (settings.requestTimeout, settings.resourceTimeout) = (1.25, 86_400)
        settings.allowsCellularAccess = false
        settings.allowsExpensiveNetworkAccess = false
        settings.allowsConstrainedNetworkAccess = false
        settings.additionalHeaders = ["Accept": "*/*"]
        settings.maximumConnectionsPerHost = 2
        settings.sharedContainerIdentifier = "group.org.example"
        settings.allowsInsecureRedirect = true
        settings.answersBearerChallenges = true
        #expect(try SessionSettings(sent(settings.fields)) == settings)
        // An omitted setting has Apple's default.
        #expect(try SessionSettings(["identifier": .string("a")]) == SessionSettings(identifier: "a"))
    }

    @Test("Timeouts out of range are sent as the maximum")
    func endlessTimes() throws {
        var settings = SessionSettings(identifier: "a")
        (settings.requestTimeout, settings.resourceTimeout) = (.infinity, 0)
        let read = try SessionSettings(sent(settings.fields))
        #expect(read.requestTimeout == 4e9)
        #expect(read.resourceTimeout > 0)
    }

    @Test(
        "Launch registrations survive a round trip",
        arguments: [nil, AppRegistration.busName("org.example.App-1"), .command(["/opt/a b", "", "--x=ä"])])
    func options(registration: AppRegistration?) throws {
        var options = OpeningOptions(registration: registration)
        #expect(try OpeningOptions(sent(options.fields)) == options)
        (options.isInFront, options.isReconnecting, options.containers) = (false, true, ["group", "b"])
        #expect(try OpeningOptions(sent(options.fields)) == options)
    }

    @Test("Tasks survive a round trip", arguments: [full, plain])
    func tasks(snapshot: TaskSnapshot) throws {
        #expect(try TaskSnapshot(sent(snapshot.fields)) == snapshot)
    }

    @Test(
        "Orders survive a round trip",
        arguments: [
            TaskOrder.submit(full), .submit(plain), .change(full), .suspend(1), .resume(2), .cancel(3),
            .cancelKeeping(4, token: "s.4"), .begin(5, .asBefore), .begin(6, .with(request)), .begin(7, .cancel),
            .begin(8, .unasked), .answer(9, .credential(user: "u", password: "pä")), .answer(10, .none),
            .answer(11, .cancel), .answer(12, .token("a.b-c_d~e+f/0==")),
        ])
    func orders(order: TaskOrder) throws {
        #expect(try TaskOrder(sent(order.fields)) == order)
    }

    @Test(
        "A token that is invalid in a header field is refused, and the error does not repeat the token",
        arguments: [
            "", "=", "a b", "a\r\nHost: h", "a,b", "ä", "=a", String(repeating: "a", count: (16 << 10) + 1),
        ])
    func badTokens(token: String) {
        let fields = TaskOrder.answer(1, .token(token)).fields
        let fault = #expect(throws: BusFault.self) { _ = try TaskOrder(sent(fields)) }
        #expect(fault?.code == .invalidArgument)
        #expect(token.count < 3 || fault?.message.contains(token) == false)
    }

    @Test(
        "Events survive a round trip",
        arguments: [
            SessionEvent.Kind.received(1, total: nil), .received(1, total: 2), .sent(3, total: nil), .sent(0, total: 0),
            .continued(offset: 4, total: nil), .continued(offset: 4, total: 9), .responded(response),
            .downloaded(path: "/tmp/ä"), .body([]), .body([0, 255]), .completed(nil),
            .completed(FailureDescription(code: -999, message: "it was cancelled")), .willBegin(request),
            .challenged(
                ChallengeDescription(
                    scheme: "digest", realm: "r", host: "h", port: 8080, isSecure: true, refusals: 1)),
            .challenged(
                ChallengeDescription(scheme: "basic", realm: nil, host: "h", port: 80, isSecure: false, refusals: 0)),
            .called, .finishedEvents, .invalidated(nil),
            .invalidated(SessionRefusal(code: .inUse, message: "process 7 has it", owner: 7)),
            .invalidated(SessionRefusal(code: .unavailable, message: "gone")),
        ])
    func events(kind: SessionEvent.Kind) throws {
        for event in [SessionEvent(kind), SessionEvent(number: 17, task: 3, kind)] {
            #expect(try SessionEvent(sent(event.fields)) == event)
        }
    }

    @Test("A session's state survives a round trip")
    func states() throws {
        var named = SessionState(nextTask: 1, tasks: [])
        named.namedFilesFolder = "/cache/a/named/s"
        for state in [
            named, SessionState(nextTask: 1, tasks: []),
            SessionState(nextTask: 13, tasks: [Self.plain, Self.full], warning: "the app cannot be started"),
        ] {
            let reply = OpenSessionReply(path: "/org/transferd/session/a__b", state: state)
            #expect(try OpenSessionReply(sent(reply.fields)) == reply)
        }
    }

    @Test(
        "Refusals map to D-Bus errors and name the owner's process",
        arguments: [
            SessionRefusal(code: .inUse, message: "in use by the process 7 (it says).", owner: 7),
            SessionRefusal(code: .inUse, message: "in use (process 8)", owner: 4_194_304),
            SessionRefusal(code: .badIdentifier, message: "empty"),
            SessionRefusal(code: .noSuchSession, message: "none"),
            SessionRefusal(code: .unavailable, message: "the disk is full"),
        ])
    func refusals(refusal: SessionRefusal) {
        let fault = BusFault(refusal)
        #expect(SessionRefusal(fault) == refusal)
        #expect(BusFault(name: fault.name, message: fault.message) == fault)
        if let owner = refusal.owner { #expect(fault.message.contains("(process \(owner))")) }
    }

    @Test("Other errors are not refusals of a session")
    func otherFaults() {
        #expect(SessionRefusal(BusFault(.tooManyTransfers, "")) == nil)
        #expect(SessionRefusal(BusFault(.invalidArgument, "")) == nil)
    }

    @Test(
        "Invalid values are refused, and the error names the key",
        arguments: [
            (["identifier": VariantValue.integer(1)], "'identifier'"), ([:], "'identifier'"),
            (["identifier": .string("a"), "speed": .integer(1)], "'speed'"),
            (["identifier": .string("a"), "request-timeout": .double(0)], "'request-timeout'"),
            (["identifier": .string("a"), "request-timeout": .double(.nan)], "'request-timeout'"),
            (["identifier": .string("a"), "resource-timeout": .double(.infinity)], "'resource-timeout'"),
            (["identifier": .string("a"), "connections-per-host": .integer(0)], "'connections-per-host'"),
            (["identifier": .string("a"), "headers": .dictionary(["A": .integer(1)])], "'headers'"),
        ])
    func refusedSettings(fields: [String: VariantValue], key: String) {
        expectFault(key) { _ = try SessionSettings(fields) }
    }

    @Test(
        "Invalid launch registrations are refused",
        arguments: [
            (["bus-name": VariantValue.string("example")], "'bus-name'"), (["bus-name": .string(":1.7")], "'bus-name'"),
            (["command": .list([])], "'command'"), (["command": .list([.string("ls")])], "'command'"),
            (["command": .list([.string("/a"), .integer(1)])], "'command'"),
            (["command": .list(Array(repeating: .string("/a"), count: 300))], "'command'"),
            (["bus-name": .string("a.b"), "command": .list([.string("/a")])], "'bus-name'"),
            (["Command": .list([.string("/a")])], "'Command'"),
        ])
    func refusedOptions(fields: [String: VariantValue], key: String) {
        expectFault(key) { _ = try OpeningOptions(fields) }
    }

    @Test(
        "Invalid orders are refused, and the error names the key",
        arguments: [
            ([:], "'order'"), (["order": VariantValue.string("burn")], "'order'"),
            (["order": .string("cancel")], "'task'"), (["order": .string("cancel"), "task": .integer(0)], "'task'"),
            (["order": .string("cancel"), "task": .integer(1), "token": .string("x")], "'token'"),
            (["order": .string("submit")], "'snapshot'"),
            (["order": .string("submit"), "snapshot": .dictionary(["task": .integer(1)])], "in 'snapshot': 'request'"),
            (
                [
                    "order": .string("submit"),
                    "snapshot": .dictionary([
                        "task": .integer(1), "request": .dictionary(["url": .integer(1)]),
                    ]),
                ], "in 'snapshot': in 'request': 'url'"
            ),
            (
                [
                    "order": .string("submit"),
                    "snapshot": .dictionary([
                        "task": .integer(1), "request": .dictionary(["url": .string("a")]),
                        "upload-file": .string("relative"),
                    ]),
                ], "'upload-file'"
            ),
            (["order": .string("begin"), "task": .integer(1), "reply": .string("with")], "'request'"),
            (["order": .string("answer"), "task": .integer(1), "reply": .string("credential")], "'user'"),
        ])
    func refusedOrders(fields: [String: VariantValue], key: String) {
        expectFault(key) { _ = try TaskOrder(fields) }
    }

    private func expectFault(_ key: String, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("\(key) was accepted")
        } catch {
            let fault = error as? BusFault
            #expect(fault?.code == .invalidArgument)
            #expect(fault?.message.contains(key) == true, "\(error)")
        }
    }
}
