// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct WatcherRegistryTests {
    private func caller(_ number: Int, of app: String = "org.example.App") -> BusCaller {
        BusCaller(name: ":1.\(number)", app: app, kind: .app)
    }

    @Test("C5: the number of watching connections is limited for each app")
    func limit() throws {
        var watchers = WatcherRegistry()
        for number in 1...CallerLimits.watchers { try watchers.add(caller(number)) }
        let fault = #expect(throws: BusFault.self) { try watchers.add(caller(100)) }
        #expect(fault?.code == .limitExceeded)
        #expect(!watchers.contains(":1.100"))
        // The limit does not apply to a connection that already watches.
        try watchers.add(caller(1))
        try watchers.add(caller(200, of: "org.example.Other"))
        watchers.remove(":1.1")
        try watchers.add(caller(100))
        #expect(watchers.all.count == CallerLimits.watchers + 1)
    }
}
