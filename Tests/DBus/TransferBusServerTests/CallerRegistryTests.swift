// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import TransferBusServer

@Suite struct CallerRegistryTests {
    @Test("All waiting callbacks of a closed connection are called once, without a caller")
    func goneConnection() async {
        let programs = BusPrograms()
        let connection = ServerConnection(lendingTo: programs)
        let callers = CallerRegistry(
            over: connection, names: NameOwners(over: connection), launched: programs.launched
        ) { [] }
        var reported: [String] = []
        for number in 1...2 {
            callers.identify(":1.7") { caller in reported.append("\(number): \(caller?.app ?? "none")") }
        }
        callers.identify(":1.8") { _ in reported.append("another") }
        #expect(reported == [])
        callers.forget(":1.7")
        callers.forget(":1.7")
        #expect(reported == ["1: none", "2: none"])
        #expect(callers[":1.7"] == nil)
        await programs.executor.stop()
    }
}
