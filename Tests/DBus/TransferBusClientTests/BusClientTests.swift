// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite("D-Bus client", .timeLimit(.minutes(1)))
struct BusClientTests {
    @Test("Closing the client twice, concurrently or later, returns")
    func close() async {
        // The test repeats the race: the thread may still answer the second call before the thread ends.
        for _ in 0..<20 {
            let client = BusClient()
            async let one: Void = client.close()
            async let two: Void = client.close()
            _ = await (one, two)
            await client.close()
        }
    }
}
