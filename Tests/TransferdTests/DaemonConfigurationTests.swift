// SPDX-License-Identifier: Apache-2.0
import Logging
import Testing
import ToolSupport
import URLSessionExecutor

@testable import transferd

@Suite struct DaemonConfigurationTests {
    @Test("All keys are taken, and what is not named has its default")
    func keys() throws {
        let full = try DaemonConfiguration(
            """
            # what decides
            policy = "ladder"
            parallel = 8
            parallel-per-host = 3
            parallel-per-app = 5
            open-per-app = 12
            rate-limit = 1000000
            yield = true
            log-level = "debug"
            """, path: "c.toml")
        #expect(full.policy == "ladder")
        #expect((full.parallel, full.parallelPerHost, full.parallelPerApp, full.openPerApp) == (8, 3, 5, 12))
        #expect(full.limits.global == 1_000_000 && full.limits.yieldsToForeground)
        #expect(full.logLevel == .debug)
        let empty = try DaemonConfiguration("", path: "c.toml")
        #expect((empty.policy, empty.parallel, empty.rateLimit == nil) == ("default", 4, true))
    }

    @Test(
        "What is wrong is named with file, line and column",
        arguments: [
            ("parallel = 0", "c.toml:1:1: parallel must be a whole number from 1 to 256"),
            ("\n  parallel = \"4\"", "c.toml:2:3: parallel must be a whole number"),
            ("policy = \"best\"", "c.toml:1:1: policy: "), ("policy = 3", "c.toml:1:1: policy must be text in quotes"),
            ("# parallell\n\nparallell = 4", "c.toml:3:1: there is no key 'parallell'; known are "),
            ("yield = 1", "c.toml:1:1: yield must be true or false"),
            ("log-level = \"loud\"", "c.toml:1:1: log-level must be one of "), ("parallel = = 4", "c.toml:1:12: "),
            ("[server]\nport = 1", "c.toml:1:2: there is no key 'server'"),
        ])
    func wrong(text: String, message: String) {
        do {
            _ = try DaemonConfiguration(text, path: "c.toml")
            Issue.record("it was taken")
        } catch let error as UsageError {
            #expect(error.description.hasPrefix(message), "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }
}
