// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("Loopback hosts are recognized")
struct LoopbackHostTests {
    @Test(
        "Loopback addresses and names are recognized",
        arguments: [
            "127.0.0.1", "127.255.1.2", "::1", "[::1]", "localhost", "LOCALHOST", "a.localhost",
        ])
    func loopback(host: String) { #expect(LoopbackHost.contains(host)) }

    @Test(
        "Similar names are not loopback hosts",
        arguments: [
            "", "128.0.0.1", "127.0.0", "127.0.0.1.example.org", "127.0.0.256", "127.0.0.1.", "localhost.example.org",
            "::2", "127.0.0.-1", "127.0.0.+1",
        ])
    func others(host: String) { #expect(!LoopbackHost.contains(host)) }

    @Test("Behind a proxy, the name refers to another machine")
    func proxied() {
        #expect(LoopbackHost.contains("localhost", unlessProxied: false))
        #expect(!LoopbackHost.contains("localhost", unlessProxied: true))
        #expect(!LoopbackHost.contains("example.org", unlessProxied: false))
    }
}
