// SPDX-License-Identifier: Apache-2.0
import Logging
import Testing
import ToolSupport
import TransferFiles
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
        #expect(!full.notifies && DaemonConfiguration().notifies)
        let empty = try DaemonConfiguration("", path: "c.toml")
        #expect((empty.policy, empty.parallel, empty.rateLimit == nil) == ("default", 4, true))
    }

    @Test("Documents exactly the accepted keys, with the defaults in force")
    func explained() throws {
        let keys = DaemonConfiguration.keys
        #expect(keys.map(\.name) == keys.map(\.name).sorted())
        // Every key is uncommented, except for the key without a default.
        let text = keys.filter { $0.name != "rate-limit" }.map { "\($0.name) = \($0.defaultText)" }.joined(
            separator: "\n")
        let configuration = try DaemonConfiguration(text, path: "c.toml")
        let defaults = DaemonConfiguration()
        #expect("\(configuration)" == "\(defaults)")
        // The unchanged lines of the file have no effect.
        let lines = keys.flatMap(\.lines).joined(separator: "\n")
        #expect("\(try DaemonConfiguration(lines, path: "c.toml"))" == "\(defaults)")
        for key in keys { #expect(throws: UsageError.self) { try DaemonConfiguration("\(key.name) = []", path: "c") } }
    }

    @Test(
        "Reports an error with file, line, and column",
        arguments: [
            ("parallel = 0", "c.toml:1:1: parallel = 0: must be a whole number from 1 to 256"),
            ("\n  parallel = \"4\"", "c.toml:2:3: parallel = \"4\": must be a whole number"),
            ("policy = \"best\"", "c.toml:1:1: policy: "),
            ("policy = 3", "c.toml:1:1: policy = 3: must be a string in quotes"),
            ("# parallell\n\nparallell = 4", "c.toml:3:1: unknown key 'parallell'; use one of "),
            ("app-budgets = 7", "c.toml:1:1: app-budgets = 7: must be a table from names to bytes"),
            ("\napp-budgets = { a = -1 }", "c.toml:2:1: app-budgets: 'a' = -1: must be a whole number from 0 to"),
            (
                "[connection-budgets]\n\"b c\" = \"1\"",
                "c.toml:1:2: connection-budgets: 'b c' = \"1\": must be a whole number"
            ),
            ("billing-day = 32", "c.toml:1:1: billing-day = 32: must be a whole number from 1 to 31"),
            ("yield = 1", "c.toml:1:1: yield = 1: must be true or false"),
            ("log-level = \"loud\"", "c.toml:1:1: log-level = \"loud\": must be one of "),
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
}
