// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Tests of choosing a policy by name on the command line.
@Suite("transferctl config policies and get --policy, end to end")
struct PolicyTests {
    @Test("every listed policy can be selected with its defaults spelled out")
    func listed() async throws {
        let program = try Transferctl()
        let people = try await program.run(["config", "policies"])
        #expect(people.status == 0, "\(people.run.errors)")
        let machines = try await program.run(["config", "policies", "--json"])
        let read = try JSONSerialization.jsonObject(with: Data(machines.run.output.utf8)) as? [String: Any]
        let policies = try #require(read?["policies"] as? [[String: Any]])
        #expect(policies.count >= 12)
        for policy in policies {
            let name = try #require(policy["name"] as? String)
            #expect(people.run.output.contains("\(name): "))
            let parameters = try #require(policy["parameters"] as? [[String: Any]])
            let words = parameters.map { "\($0["key"] ?? "")=\($0["default"] ?? "")" }
            // Nothing is fetched: the program accepts the policy and then refuses the URL.
            let run = try await program.run([
                "get", "--policy", ([name] + words).joined(separator: ":"), "ftp://127.0.0.1/",
            ])
            #expect(run.status == 2)
            #expect(run.run.errors.contains("unsupported URL scheme"), "\(run.run.errors)")
        }
    }

    @Test(
        "an invalid policy is rejected with the key, the value, the range, and a pointer to the list",
        arguments: [
            ("help", ["'help'", "unmetered"]),
            ("default:wait=-1", ["wait=-1", "of 0 or more"]),
            ("default:wait=soon", ["wait=soon", "of 0 or more"]),
            ("horizon:level=101", ["level=101", "from 0 to 100"]),
            ("two-threshold:low=1", ["no longer has the policy 'two-threshold'", "unmetered"]),
            ("default:color=1", ["color=1", "wait=NUMBER"]),
        ])
    func refused(_ policy: String, _ words: [String]) async throws {
        let run = try await Transferctl().run(["get", "--policy", policy, "http://127.0.0.1:9/"])
        #expect(run.status == 2)
        for word in words + ["transferctl config policies"] {
            #expect(run.run.errors.contains(word), "\(run.run.errors)")
        }
    }
}
