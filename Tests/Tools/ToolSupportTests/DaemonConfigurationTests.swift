// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxConditions
import Logging
import Testing
import ToolSupport
import TransferFiles
import TransferModel
import TransferPolicy

@Suite struct DaemonConfigurationTests {
    @Test("Accepts every key, and uses the default for a missing key")
    func keys() throws {
        let full = try DaemonConfiguration(
            """
            # what decides
            policy = "ladder"
            parallel = 8
            parallel-per-host = 3
            parallel-per-app = 5
            open-per-app = 12
            files-per-app = 5000000000
            rate-limit = 1000000
            yield = true
            allow-local-redirects = true
            notify = false
            billing-day = 15
            relaunch-delay = 30
            relaunch-delay-limit = 90
            log-level = "debug"
            app-budgets = { person = 1000 }
            [connection-budgets]
            "Phone 5G" = 2000000000
            """, path: "c.toml")
        #expect(full.policy == "ladder")
        #expect((full.parallel, full.parallelPerHost, full.parallelPerApp, full.openPerApp) == (8, 3, 5, 12))
        #expect(full.limits.global == 1_000_000 && full.limits.yieldsToForeground)
        #expect(full.logLevel == .debug)
        #expect((full.filesPerApp, DaemonConfiguration().filesPerApp) == (5_000_000_000, 20_000_000_000))
        #expect((full.relaunchDelay, full.relaunchDelayLimit) == (30, 90))
        #expect(full.budgetLimits.connections == ["Phone 5G": 2_000_000_000])
        #expect((full.budgetLimits.apps, full.budgetLimits.billingDay) == (["person": 1000], 15))
        #expect(DaemonConfiguration().budgetLimits == ByteBudgetLimits())
        #expect(full.allowsLocalRedirects && !DaemonConfiguration().allowsLocalRedirects)
        #expect(!full.notifies && DaemonConfiguration().notifies)
        let empty = try DaemonConfiguration("", path: "c.toml")
        #expect((empty.policy, empty.parallel, empty.rateLimit == nil) == ("default", 4, true))
    }

    @Test("Bytes and times may have the units of the command line")
    func units() throws {
        let some = try DaemonConfiguration(
            """
            rate-limit = "1.5M"
            files-per-app = "2G"
            relaunch-delay = "5m"
            app-budgets = { person = "1K" }
            window = "10pm-6am"
            """, path: "c.toml")
        #expect(try some.window == WindowExpression("22:00-06:00").constraint)
        #expect(throws: UsageError.self) { try DaemonConfiguration("window = \"never\"", path: "c.toml") }
        #expect((some.rateLimit, some.filesPerApp, some.relaunchDelay) == (1_572_864, 2_147_483_648, 300))
        #expect(some.appBudgets == ["person": 1024])
        #expect(throws: UsageError.self) { try DaemonConfiguration("rate-limit = \"1 fish\"", path: "c.toml") }
    }

    @Test("The rate follows the windows of the local week; of two that are open, the lower rate applies")
    func rateWindows() throws {
        let some = try DaemonConfiguration(
            """
            rate-limit = "2M"
            rate-windows = { "Mon-Fri 08:00-18:00" = "500K", "Mon 12:00-13:00" = "1K" }
            """, path: "c.toml")
        // 1970-01-05 was a Monday.
        func limit(hour: Int64) -> (Int64?, Int64?) {
            let wall = WallTime(secondsSinceEpoch: 4 * 86_400 + hour * 3600)
            let now = ClockReading(instant: Instant(nanoseconds: 0), wall: wall)
            let (rate, until) = some.rateWindows.rate(at: now, localTime: .utc)
            return (rate, until.map { $0.nanoseconds / 3_600_000_000_000 })
        }
        #expect(limit(hour: 6) == (nil, 2) && some.rateLimit == 2 << 20)
        #expect(limit(hour: 9) == (500 << 10, 3))
        #expect(limit(hour: 12) == (1024, 1))
        #expect(limit(hour: 13) == (500 << 10, 5))
        #expect(throws: UsageError.self) { try DaemonConfiguration("rate-windows = { soon = 1 }", path: "c.toml") }
    }

    @Test("The patience chooses the policy of its name")
    func patience() throws {
        #expect(try DaemonConfiguration("patience = \"prompt\"", path: "c.toml").policy == "prompt")
        #expect(try DaemonConfiguration("policy = \"default\"\npatience = \"relaxed\"", path: "c").policy == "relaxed")
        #expect(try DaemonConfiguration("policy = \"strict\"\npatience = \"balanced\"", path: "c").policy == "strict")
    }

    @Test("The source of prices is a file, or a command without a shell")
    func prices() throws {
        func source(_ text: String) throws -> PriceSource? { try DaemonConfiguration(text, path: "c.toml").prices }
        #expect(try source("[price]\nfile = \"/srv/tariff.csv\"") == .file("/srv/tariff.csv"))
        #expect(try source("[price]\nfile = \"~/tariff.csv\"") == .file(NSHomeDirectory() + "/tariff.csv"))
        #expect(
            try source("price = { command = [\"prices\", \"a b; rm\"] }") == .command(["prices", "a b; rm"]))
        #expect(try source("price = {}") == nil)
        #expect(DaemonConfiguration().prices == nil)
    }

    @Test("A condition has values and a source, or is set by the user")
    func conditions() throws {
        func first(_ text: String) throws -> CustomConditionSource? {
            try DaemonConfiguration(text, path: "c.toml").conditions.first
        }
        #expect(DaemonConfiguration().conditions.isEmpty)
        var call = CustomConditionSource("call", .command(["in-call", "a b"]), values: ["yes", "no"])
        call.interval = .seconds(120)
        call.debounce = .seconds(10)
        call.sentences = ["yes": "a call"]
        let text = """
            [condition.call]
            command = ["in-call", "a b"]
            values = ["yes", "no"]
            every = "2m"
            debounce = "10s"
            sentence = { yes = "a call" }
            """
        #expect(try first(text) == call)
        #expect(try first("[condition.a]\nvalues = [\"1\"]\nfile = \"/run/a\"")?.origin == .file("/run/a"))
        let path = try OwnConditions.valuePath(of: "a")
        #expect(try first("[condition.a]\nvalues = [\"1\"]")?.origin == .setting(path))
        let property = CustomConditionSource.BusProperty(
            isOnSystemBus: true, service: "a.b", path: "/c", interface: "d.e", name: "F")
        let table = "{ bus = \"system\", name = \"a.b\", path = \"/c\", interface = \"d.e\", property = \"F\" }"
        #expect(try first("[condition.a]\nvalues = [\"1\"]\ndbus = \(table)")?.origin == .property(property))
    }

    @Test("The examples of the guide are valid")
    func conditionExamples() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let guide = root.appendingPathComponent("Sources/Tools/transferctl/transferctl.docc/YourOwnConditions.md")
        let pieces = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```toml\n").dropFirst()
        let names = try pieces.flatMap { piece in
            let text = piece.components(separatedBy: "```")[0]
            return try DaemonConfiguration(text, path: guide.path).conditions.map(\.name)
        }
        #expect(names.count == 9 && Set(names).count == 9)
    }

    @Test("RPC is off unless it is enabled, and has aria2's port and a folder by default")
    func rpc() throws {
        func settings(_ text: String) throws -> RPCSettings? { try DaemonConfiguration(text, path: "c.toml").rpc }
        #expect(try settings("") == nil)
        #expect(try settings("[rpc]\nport = 7000") == nil)
        #expect(try settings("[rpc]\nenabled = true") == RPCSettings(directory: NSHomeDirectory() + "/Downloads"))
        var all = RPCSettings(directory: "/srv/files")
        (all.port, all.token, all.origins, all.kind) = (
            7000, "0123456789abcdef", ["http://localhost:8080", "chrome-extension://abc"], .normal
        )
        #expect(
            try settings(
                """
                [rpc]
                enabled = true
                port = 7000
                token = "0123456789abcdef"
                directory = "/srv/files"
                origins = ["http://localhost:8080", "chrome-extension://abc"]
                kind = "normal"
                """) == all)
    }

    @Test("Documents exactly the accepted keys, with the defaults in force")
    func explained() throws {
        let keys = DaemonConfiguration.keys
        #expect(keys.map(\.name) == keys.map(\.name).sorted())
        // Every key is uncommented, except for the key without a default.
        let text = keys.filter { $0.defaultValue != nil }.map { "\($0.name) = \($0.defaultText)" }.joined(
            separator: "\n")
        let configuration = try DaemonConfiguration(text, path: "c.toml")
        let defaults = DaemonConfiguration()
        #expect("\(configuration)" == "\(defaults)")
        // The unchanged lines of the file have no effect.
        let lines = keys.flatMap(\.lines).joined(separator: "\n")
        #expect("\(try DaemonConfiguration(lines, path: "c.toml"))" == "\(defaults)")
        for key in keys { #expect(throws: UsageError.self) { try DaemonConfiguration("\(key.name) = []", path: "c") } }
    }

    @Test("A mistyped policy suggests the right one")
    func mistypedPolicy() {
        let error = #expect(throws: UsageError.self) { try DaemonConfiguration("policy = \"balancd\"", path: "c") }
        #expect(error?.description.hasSuffix("; did you mean 'balanced'?") == true, "\(String(describing: error))")
    }

    @Test(
        "Reports an error with file, line, and column",
        arguments: [
            ("parallel = 0", "c.toml:1:12: parallel = 0: must be a whole number from 1 to 256"),
            ("\n  parallel = \"4\"", "c.toml:2:14: parallel = \"4\": must be a whole number"),
            ("policy = \"best\"", "c.toml:1:10: policy: "),
            ("patience = \"late\"", "c.toml:1:12: patience = \"late\": must be one of relaxed, balanced, prompt"),
            (
                "policy = \"strict\"\npatience = \"prompt\"",
                "c.toml:2:1: patience applies to the policy 'default' only"
            ),
            ("policy = 3", "c.toml:1:10: policy = 3: must be a string in quotes"),
            ("# parallell\n\nparallell = 4", "c.toml:3:1: unknown key 'parallell'; did you mean 'parallel'?"),
            ("app-budgets = 7", "c.toml:1:15: app-budgets = 7: must be a table from names to bytes"),
            ("\napp-budgets = { a = -1 }", "c.toml:2:15: app-budgets: 'a' = -1: must be from 0 to"),
            (
                "[connection-budgets]\n\"b c\" = \"x\"",
                "c.toml:1:2: connection-budgets: 'b c' = \"x\": must be from 0 to"
            ),
            ("billing-day = 32", "c.toml:1:15: billing-day = 32: must be a whole number from 1 to 31"),
            ("yield = 1", "c.toml:1:9: yield = 1: must be true or false"),
            ("condition = 3", "c.toml:1:13: condition = 3: must be tables [condition.NAME]"),
            ("[condition.Call]\nvalues = [\"a\"]", "c.toml:1:2: condition.Call: a name is up to 32 lowercase letters"),
            ("[condition.power]\nvalues = [\"a\"]", "c.toml:1:2: condition.power: the machine itself has such"),
            ("[condition.a]\nfile = \"/a\"", "c.toml:1:2: condition.a: values: must be a list"),
            ("[condition.a]\nvalues = [\"a b\"]", "c.toml:1:2: condition.a: values: 'a b' must be up to 64 letters"),
            (
                "[condition.a]\nvalues = [\"a\"]\nfil = \"/a\"",
                "c.toml:1:2: condition.a: unknown key 'fil'; did you mean"
            ),
            (
                "[condition.a]\nvalues = [\"a\"]\nfile = \"/a\"\ncommand = [\"b\"]",
                "c.toml:1:2: condition.a: command and file exclude each other"
            ),
            ("[condition.a]\nvalues = [\"a\"]\nevery = \"1m\"", "c.toml:1:2: condition.a: every applies to a command"),
            (
                "[condition.a]\nvalues = [\"a\"]\ncommand = [\"b\"]\nevery = \"1s\"",
                "c.toml:1:2: condition.a: every must be at least \"5s\""
            ),
            ("[condition.a]\nvalues = [\"a\"]\ndebounce = \"x\"", "c.toml:1:2: condition.a: debounce = \"x\": must be"),
            (
                "[condition.a]\nvalues = [\"a\"]\nsentence = { b = \"c\" }",
                "c.toml:1:2: condition.a: sentence: unknown key 'b'"
            ),
            (
                "[condition.a]\nvalues = [\"a\"]\ndbus = { name = \"a\" }",
                "c.toml:1:2: condition.a: dbus.name = \"a\": is no name on D-Bus"
            ),
            ("price = 3", "c.toml:1:9: price = 3: must be a table with 'file' or 'command'"),
            ("[price]\nfile = \"tariff.csv\"", "c.toml:1:2: price: file = \"tariff.csv\": must be an absolute path"),
            ("[price]\nurl = \"x\"", "c.toml:1:2: price: unknown key 'url'"),
            ("[price]\ncommand = \"prices\"", "c.toml:1:2: price: command = \"prices\": must be a list of a program"),
            ("[price]\ncommand = []", "c.toml:1:2: price: command: must be a list of a program"),
            ("[price]\ncommand = [1]", "c.toml:1:2: price: command = 1: must be a string in quotes"),
            ("[price]\nfile = \"/a\"\ncommand = [\"b\"]", "c.toml:1:2: price: file and command exclude each other"),
            ("rpc = true", "c.toml:1:7: rpc = true: must be a table with 'enabled'"),
            ("[rpc]\nlisten-all = true", "c.toml:1:2: rpc: unknown key 'listen-all'"),
            ("[rpc]\nport = 80", "c.toml:1:2: rpc: port = 80: must be a whole number from 1024 to 65535"),
            ("[rpc]\ndirectory = \"x\"", "c.toml:1:2: rpc: directory = \"x\": must be an absolute path"),
            ("[rpc]\ntoken = \"secret\"", "c.toml:1:2: rpc: token: must have 16 to 256 visible ASCII characters"),
            ("[rpc]\norigins = [\"null\"]", "c.toml:1:2: rpc: origins = \"null\": must be scheme, host, and port"),
            ("[rpc]\norigins = [\"http://a/b\"]", "c.toml:1:2: rpc: origins = \"http://a/b\": must be scheme"),
            ("[rpc]\nkind = \"userInitiated\"", "c.toml:1:2: rpc: kind = \"userInitiated\": must be one of normal"),
            ("log-level = \"loud\"", "c.toml:1:13: log-level = \"loud\": must be one of "),
            ("parallel = = 4", "c.toml:1:12: "),
            ("[server]\nport = 1", "c.toml:1:2: unknown key 'server'"),
        ])
    func wrong(text: String, message: String) {
        do {
            _ = try DaemonConfiguration(text, path: "c.toml")
            Issue.record("the configuration was accepted")
        } catch let error as UsageError {
            #expect(error.description.hasPrefix(message), "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("Reports every error, in the order of the file, with the column of the key or of the value")
    func allErrors() {
        let text = """
            yield = 1
            paralel = 4
            policy = "best"
              parallel = 0
            billing-day = 32
            log-level = "loud"
            """
        let error = #expect(throws: UsageError.self) { try DaemonConfiguration(text, path: "c") }
        let places = error?.description.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(places == ["c:1:9:", "c:2:1:", "c:3:10:", "c:4:14:", "c:5:15:", "c:6:13:"])
    }
}
