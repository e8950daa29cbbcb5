// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import TransferBusServer

@Suite struct CallerRegistryTests {
    @Test("All who wait for a connection that has gone are told that there is no caller, once")
    func goneConnection() async {
        let programs = BusPrograms()
        let connection = ServerConnection(lendingTo: programs)
        let callers = CallerRegistry(
            over: connection, names: NameOwners(over: connection), launched: programs.launched
        ) { [] }
        var told: [String] = []
        for number in 1...2 {
            callers.identify(":1.7") { caller in told.append("\(number): \(caller?.app ?? "nobody")") }
        }
        callers.identify(":1.8") { _ in told.append("another") }
        #expect(told == [])
        callers.forget(":1.7")
        callers.forget(":1.7")
        #expect(told == ["1: nobody", "2: nobody"])
        #expect(callers[":1.7"] == nil)
        await programs.executor.stop()
    }
}
