// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing
import TransferBusProtocol
import TransferModel

@testable import TransferBusServer

@Suite struct ChangeOrderTests {
    private static func subject(
        _ method: String, at path: String = TransferBusName.managerPath, _ arguments: VariantValue...
    ) -> ChangeOrder.Subject? {
        ChangeOrder.Subject(method, of: TransferBusName.managerInterface, at: path, arguments)
    }

    private static func some(_ numbers: [Int64]) -> ChangeOrder.Subject { .transfers(numbers.map(TransferID.init)) }

    @Test("A call's subject is the transfers that it names, or any transfers if they are not known yet")
    func subjects() {
        #expect(Self.subject("Pause", .list([.integer(3), .integer(4)])) == Self.some([3, 4]))
        #expect(Self.subject("Change", .integer(5), .dictionary([:])) == Self.some([5]))
        let session = "\(TransferBusName.sessionsPath)/\(SessionKey(app: "a", identifier: "b").node)"
        #expect(Self.subject("PauseAll", at: session) == .any)
        #expect(Self.subject("Release") == .any)
        for method in ["List", "Explain", "Submit", "Show"] { #expect(Self.subject(method) == nil, "\(method)") }
        #expect(Self.subject("List", at: session) == nil)
        #expect(ChangeOrder.Subject("Get", of: TransferBusName.properties, at: session, []) == nil)
    }

    @Test("A change waits only for earlier changes of its app to the same transfers")
    func order() {
        var order = ChangeOrder()
        let tasks = (0..<4).map { _ in Task {} }
        order.add(0, tasks[0], of: Self.some([1, 2]), by: "a")
        order.add(1, tasks[1], of: Self.some([2, 3]), by: "a")
        #expect(order.earlier(than: Self.some([1]), of: "a") == [tasks[0]])
        #expect(order.earlier(than: Self.some([2]), of: "a") == [tasks[1]])
        #expect(order.earlier(than: Self.some([4]), of: "a") == [])
        #expect(order.earlier(than: Self.some([1, 2, 3]), of: "b") == [])
        #expect(order.earlier(than: .any, of: "a") == [tasks[0], tasks[1]])
        order.add(2, tasks[2], of: .any, by: "a")
        #expect(order.earlier(than: Self.some([4]), of: "a") == [tasks[2]])
        #expect(order.earlier(than: .any, of: "a") == [tasks[2]])
        order.end(0, of: Self.some([1, 2]), by: "a")
        order.end(1, of: Self.some([2, 3]), by: "a")
        #expect(order.earlier(than: .any, of: "a") == [tasks[2]])
        order.end(2, of: .any, by: "a")
        #expect(order.earlier(than: .any, of: "a") == [])
    }

    @Test("Ended changes are removed, unless a later change has replaced them")
    func forgetting() {
        var order = ChangeOrder()
        let tasks = (0..<3).map { _ in Task {} }
        order.add(0, tasks[0], of: Self.some([1, 2]), by: "a")
        order.add(1, tasks[1], of: Self.some([2, 3]), by: "a")
        order.end(0, of: Self.some([1, 2]), by: "a")
        #expect(order.earlier(than: Self.some([1]), of: "a") == [])
        #expect(order.earlier(than: Self.some([2]), of: "a") == [tasks[1]])
        order.end(1, of: Self.some([2, 3]), by: "a")
        #expect(order.earlier(than: .any, of: "a") == [])
    }
}
