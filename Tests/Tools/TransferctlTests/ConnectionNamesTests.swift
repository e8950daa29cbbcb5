// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import transferctl

@Suite struct ConnectionNamesTests {
    @Test("A name that no connection has now is remarked on, with the known names")
    func unknown() {
        let names = ConnectionNames(names: ["lo", "eth0", "Home"])
        #expect(names.advice(about: "Home") == nil)
        #expect(
            names.advice(about: "Hom")
                == "no connection is called 'Hom' now, so the override waits for one (known: Home, eth0)")
        #expect(ConnectionNames(names: ["lo"]).advice(about: "x")?.hasSuffix("waits for one") == true)
    }
}
