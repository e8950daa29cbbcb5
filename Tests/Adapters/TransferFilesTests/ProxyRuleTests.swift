// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TransferFiles

@Suite("Proxy rules")
struct ProxyRuleTests {
    @Test(
        "The scheme's variable applies, then all_proxy; HTTP_PROXY and empty variables are ignored",
        arguments: [
            (["http_proxy": "p:1"], "http", true), (["http_proxy": "p:1"], "https", false),
            (["HTTP_PROXY": "p:1"], "http", false), (["HTTPS_PROXY": "p:1"], "https", true),
            (["https_proxy": "p:1"], "http", false), (["ALL_PROXY": "p:1"], "http", true),
            (["all_proxy": "p:1"], "https", true), (["http_proxy": ""], "http", false), ([:], "http", false),
        ])
    func variables(environment: [String: String], scheme: String, applies: Bool) {
        let rule = ProxyRule(explicit: nil, environment: environment)
        #expect(rule.applies(scheme: scheme, host: "127.0.0.1") == applies)
    }

    @Test(
        "no_proxy accepts domains with subdomains, addresses, and prefixes, and also applies to --proxy",
        arguments: [
            ("127.0.0.1", "127.0.0.1", false), ("127.0.0.0/8", "127.9.9.9", false), ("10.0.0.0/8", "127.0.0.1", true),
            ("127.0.0.2", "127.0.0.1", true), ("other, localhost", "localhost", false), ("host", "localhost", true),
            (".localhost", "a.localhost", false), ("localhost", "a.localhost", false), ("*", "127.0.0.1", false),
            ("::1", "[::1]", false), ("1", "127.0.0.1", true), ("", "localhost", true), (",.,", "localhost", true),
        ])
    func exceptions(list: String, host: String, applies: Bool) {
        let rule = ProxyRule(explicit: "http://p:1", environment: ["no_proxy": list])
        #expect(rule.applies(scheme: "http", host: host) == applies)
    }
}
