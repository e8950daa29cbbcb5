// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Recordings")
struct ConditionsReplayTests {
    private static let network = NetworkSnapshot(
        links: [
            2: LinkDescription(
                index: 2, name: "enx02aabbccddee", flags: 0x1043, operationalState: 6, master: 3, carrierChanges: 4,
                files: .init(deviceType: "wlan", isWireless: true, driver: "iwlwifi")),
            3: LinkDescription(index: 3, name: "br0", flags: 0x1043, kind: "bridge", lower: 1, isWireless: true),
        ], chosen: [3, 2], defaultRoutes: [.init(index: 2, priority: 7, family: 10, table: 9)], chosenForMarks: [2])

    /// One observation of each kind, with a distinct value for each property.
    private static let observations: [Observation] = [
        .power(
            upower: .value(
                UPowerProperties(
                    daemonVersion: "1", isOnBattery: true, isPresent: true, kind: 2, state: 3, warningLevel: 4,
                    percentage: .infinity)),
            supplies: .value([
                PowerSupplyFiles(name: "BAT0", portRoles: ["[sink]"]) {
                    $0 == "type" ? .text("Battery") : $0 == "status" ? .failed(5) : .failed(2)
                }
            ]), .afterDebounce),
        .power(upower: .pending, supplies: .absent, .first), .kernelEvent(["change@/x", "SUBSYSTEM=power_supply"]),
        .path(.value(network), .first), .path(.silent, .afterDebounce),
        .networkManager(
            .value(NetworkManagerProperties(properties: ["Metered": .integer(1)], connectionID: "Home \"5\" é"))),
        .networkManager(.value(NetworkManagerProperties(properties: [:]))), .meteredDebounceEnded,
        .modemManager(.value([.dictionary(["/1": .dictionary([:])])])),
        .networkPortal(
            .value([.list([.double(5), .bool(true), .other, .string("x"), .dictionary(["double": .bool(true)])])])),
        .powerProfile(.former, .value(["ActiveProfile": .string("balanced")])),
        .login(.value(SleepReading(properties: ["PreparingForShutdown": .bool(true)]))),
        .leases([
            LeaseFile(device: "a", text: "VENDOR_SPECIFIC=41\n"), LeaseFile(client: "dhcpcd", device: "b"),
        ]),
        .overrides(OverridesContent(path: "/a", text: "[metered]\n")),
        .overrides(OverridesContent(path: "/a", problem: "no")),
        .localTime(
            LocalTimeRules(
                initialOffsetSeconds: -3600, changes: [.init(start: WallTime(secondsSinceEpoch: 9), offsetSeconds: 60)])
        ),
        .firstSnapshotIsDue,
    ]

    private func time(_ milliseconds: Int64) -> ClockReading {
        ClockReading(
            instant: Instant(nanoseconds: milliseconds * 1_000_000),
            wall: WallTime(nanosecondsSinceEpoch: 1_768_478_400_123_456_789 + milliseconds))
    }

    @Test(
        "Every observation survives a round trip, with both clocks to the nanosecond", arguments: observations)
    func roundTrip(observation: Observation) throws {
        let line = RecordingText.line(RecordedLine(observation, at: time(5)))
        #expect(!line.contains("\n"))
        let back = try RecordingText.decode(RecordedLine.self, from: line.utf8)
        #expect(back.observation == observation)
        #expect(back.time == time(5))
    }

    /// Returns the lines of a recording of these observations, ten milliseconds apart.
    private func record(
        _ observations: [Observation], _ change: (inout LinuxConditionsConfiguration) -> Void = { _ in }
    ) -> [String] {
        var configuration = LinuxConditionsConfiguration()
        change(&configuration)
        let written = Lines()
        let recorder = ConditionsRecorder(configuration) { written.add($0) }
        var fold = ConditionsFold(localTime: configuration.localTime)
        for (index, observation) in observations.enumerated() {
            let now = time(Int64(index) * 10)
            recorder.record(observation, at: now)
            if let conditions = fold.process(observation, at: now).conditions { recorder.record(conditions, at: now) }
        }
        return written.all
    }

    private static let beginning: [Observation] = [
        .power(upower: .absent, supplies: .value([]), .first), .path(.value(network), .first),
        .powerProfile(.current, .absent), .powerProfile(.former, .absent), .login(.absent),
        .overrides(OverridesContent(path: "/srv/somebody/overrides.toml", text: "[metered]\nHome = \"yes\"\n")),
        .networkManager(
            .value(
                NetworkManagerProperties(
                    properties: [
                        "PrimaryConnection": .string("/1"), "Metered": .integer(4),
                        "GlobalDnsConfiguration": .string("secret-server"),
                    ], connectionID: "Home"))), .modemManager(.absent), .networkPortal(.absent),
    ]

    private func replay(_ lines: [String]) throws(RecordingError) -> ConditionsReplay {
        try ConditionsReplay((lines.joined(separator: "\n") + "\n").utf8, file: "x.jsonl")
    }

    private func problem(_ lines: [String]) -> String {
        do {
            _ = try replay(lines)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("A recording replays with the same result")
    func same() throws {
        let lines = record(Self.beginning)
        #expect(lines.count == Self.beginning.count + 2)
        let replay = try replay(lines)
        #expect(replay.published.map(\.metered.value) == [.yes])
        #expect(replay.observations == Self.beginning.count)
        #expect(!replay.isCutShort)
        #expect(replay.renewed == lines.joined(separator: "\n") + "\n")
        #expect(replay.times == [time(80)])
        #expect(!lines.joined().contains("secret-server"))
    }

    @Test("The error for a different fact names the file, the line, and both values")
    func different() {
        let lines = record(Self.beginning)
        func problem(_ part: String, as other: String) -> String {
            var changed = lines
            changed[10] = changed[10].replacingOccurrences(part, other)
            return self.problem(changed)
        }
        let words = problem("\"value\":\"yes\"", as: "\"value\":\"no\"")
        #expect(words.hasPrefix("x.jsonl:11: metered: recorded no (override, reported, unchanged at ["), "\(words)")
        #expect(words.contains("decoded yes (override, reported"))
        #expect(problem("\"notes\":[]", as: "\"notes\":[\"x\"]") == "x.jsonl:11: notes: recorded [\"x\"], decoded []")
    }

    @Test("Missing and unexpected conditions are reported with their line")
    func missing() throws {
        var lines = record(Self.beginning + [.meteredDebounceEnded])
        // The end of a price debounce that never began.
        #expect(problem(lines).hasPrefix("x.jsonl:12: the debounce of the price ended without"))
        lines.removeLast()
        lines.append(lines[10])
        #expect(problem(lines) == "x.jsonl:12: unexpected published conditions")
        lines.removeLast(2)
        // The last snapshot may have been cut off with its line.
        #expect(try replay(lines).published.count == 1)
        lines.append(lines[9])
        #expect(problem(lines).hasPrefix("x.jsonl:11: expected published conditions before this: battery none"))
    }

    @Test("A debounce that ends too early and a clock that goes backward are reported")
    func times() {
        let start = record([.path(.value(Self.network), .first), .path(.value(Self.network), .afterDebounce)])
        #expect(
            problem(start).hasPrefix("x.jsonl:3: the debounce of the path ended after 0.01 seconds; expected 50 ms"))
        let apart = start[2].replacingOccurrences("\"boot\":10000000", "\"boot\":49500000")
        #expect(problem([start[0], start[1], apart]) == "none")
        #expect(problem([start[0], apart, start[1]]).contains("the debounce of the path ended without"))
        let back = start[1].replacingOccurrences("\"boot\":0", "\"boot\":-1")
        #expect(
            problem([start[0], start[1], back]) == "x.jsonl:3: the boot-time clock goes backward, from 0")
    }

    @Test(
        "An invalid recording is reported with its line and the expected content",
        arguments: [
            ("", "x:1: is empty; a recording begins with a header"),
            ("{}\n", "x:1: is not the header of a recording: 'format' is missing"),
            ("HEAD\nnonsense\n", "x:2: is not a line of a recording: "),
            (
                "HEAD\n{\"boot\":1,\"wall\":1}\n",
                "x:2: must contain exactly one known observation"
            ),
            ("HEAD\n{\"boot\":1}\n", "x:2: is not a line of a recording: 'wall' is missing"),
            (
                "HEAD\n{\"boot\":1,\"wall\":1,\"login\":\"gone\"}\n",
                "x:2: is not a line of a recording: 'gone' is not valid"
            ),
            (
                "HEAD\n{\"boot\":1,\"wall\":1,\"firstIsDue\":true,\"priceHasHeld\":true}\n",
                "x:2: must contain exactly one known observation"
            ),
        ])
    func wrong(text: String, words: String) throws {
        let head = RecordingText.line(RecordingHeader(LinuxConditionsConfiguration()))
        let error = #expect(throws: RecordingError.self) {
            try ConditionsReplay(text.replacingOccurrences("HEAD", head).utf8, file: "x")
        }
        #expect(error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
    }

    @Test("Other formats and versions are refused, and the error names them")
    func versions() {
        let head = RecordingText.line(RecordingHeader(LinuxConditionsConfiguration()))
        #expect(
            problem([head.replacingOccurrences("\"version\":1", "\"version\":2")])
                == "x.jsonl:1: the version is 2; this program reads 1")
        #expect(
            problem([head.replacingOccurrences("background-transfer/conditions", "other")])
                == "x.jsonl:1: the format is 'other'; 'background-transfer/conditions' was expected")
    }

    @Test("An unterminated last line counts if it is complete, and is ignored if it was cut off")
    func cut() throws {
        let lines = record(Self.beginning)
        let text = lines.joined(separator: "\n")
        #expect(try ConditionsReplay(text.utf8, file: "x").isCutShort == false)
        let cut = try ConditionsReplay(text.utf8.dropLast(30), file: "x")
        #expect(cut.isCutShort)
        #expect(cut.published.count == 1)
    }

    @Test("An anonymous recording replaces names, addresses, and paths consistently, and keeps the metered state")
    func anonymous() throws {
        let files = [
            LeaseFile(
                device: "eth0",
                text: "ADDRESS=192.168.7.7\nHOSTNAME=box\nVENDOR_SPECIFIC=414e44524f49445f4d455445524544\n")
        ]
        let event = Observation.kernelEvent([
            "change@/x/hid-AA:bb:cc:00:11:22-battery", "POWER_SUPPLY_SERIAL_NUMBER=77",
        ])
        let words = "[metered]\nHome = \"yes\"\nbr0 = \"no\"\nWork = \"no\"\n"
        let lines = record(
            Self.beginning + [
                .leases(files), event, .overrides(OverridesContent(path: "/srv/somebody/o", text: words)),
                .overrides(OverridesContent(path: "/srv/somebody/o", text: "Home")), .leases(files), event,
            ]
        ) { $0.recordsAnonymously = true }
        let text = lines.joined(separator: "\n")
        for secret in ["Home", "Work", "somebody", "192.168", "box", "02aabbccddee", "AA:bb", "=77"] {
            #expect(!text.contains(secret), "\(secret) in \(text)")
        }
        #expect(text.contains("enx020000000001") && text.contains("hid-02:00:00:00:00:02-battery"))
        #expect(!text.contains("02:00:00:00:00:03"))
        #expect(text.contains("\"anonymous\":true"))
        let published = try replay(lines).published
        #expect(published.allSatisfy { $0.connection.value == "connection-1" })
        #expect(published.last?.notes == ["the overrides in : left out of this recording"])
        #expect(published.map(\.metered.value).last == .yes)
    }

    @Test("Properties that identify the owner of a modem are not recorded")
    func modem() {
        let lines = record([
            .modemManager(
                .value([
                    .dictionary([
                        "/1": .dictionary([
                            "org.freedesktop.ModemManager1.Modem": .dictionary([
                                "OwnNumbers": .list([.string("+49151")]), "EquipmentIdentifier": .string("3569"),
                                "Ports": .list([.list([.string("wwan0"), .integer(2)])]),
                            ]),
                            "org.freedesktop.ModemManager1.Modem.Location": .dictionary(["Location": .string("51.5")]),
                            "org.freedesktop.ModemManager1.Modem.Modem3gpp": .dictionary([
                                "RegistrationState": .integer(5), "Imei": .string("3569"),
                            ]),
                        ])
                    ])
                ]))
        ])
        let text = lines.joined()
        for secret in ["+49151", "3569", "51.5", "Location"] { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.contains("wwan0") && text.contains("\"RegistrationState\":5"))
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, _ other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
