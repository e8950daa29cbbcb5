// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Testing
import URLSessionInterposer

@Suite("The table of libcurl handles")
struct HandleTableTests {
    private func withTable(_ body: (OpaquePointer) throws -> Void) throws {
        let table = try #require(handle_table_make())
        defer { handle_table_free(table) }
        try body(table)
    }

    private func pointer(_ number: Int) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: number * 16) }

    @Test(
        "C14: The table finds, replaces, and removes like a dictionary, in any order",
        arguments: 0..<8 as Range<UInt64>)
    func asADictionary(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try withTable { table in
            var model: [Int: Int] = [:]
            for _ in 0..<20_000 {
                // There are few keys, so that a key is often present. Some keys are close together.
                let key = Int.random(in: 1...300, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    let value = Int.random(in: 1...1000, using: &generator)
                    #expect(handle_table_set(table, pointer(key), pointer(value)) == 1)
                    model[key] = value
                case 1:
                    #expect(handle_table_remove(table, pointer(key)) == model.removeValue(forKey: key).flatMap(pointer))
                default:
                    #expect(handle_table_find(table, pointer(key)) == model[key].flatMap(pointer))
                }
                #expect(handle_table_count(table) == model.count)
            }
            for (key, value) in model { #expect(handle_table_find(table, pointer(key)) == pointer(value)) }
        }
    }

    @Test("C14: The table grows, and is empty after all keys are removed")
    func grows() throws {
        try withTable { table in
            for key in 1...10_000 { #expect(handle_table_set(table, pointer(key), pointer(key + 1)) == 1) }
            #expect(handle_table_count(table) == 10_000)
            #expect((1...10_000).allSatisfy { handle_table_find(table, pointer($0)) == pointer($0 + 1) })
            for key in 1...10_000 { #expect(handle_table_remove(table, pointer(key)) == pointer(key + 1)) }
            #expect(handle_table_count(table) == 0)
            #expect(handle_table_find(table, pointer(1)) == nil)
        }
    }

    @Test("C14: Several threads use the table concurrently, each with its own keys")
    func threads() throws {
        try withTable { table in
            // Guard: the table has its own lock.
            nonisolated(unsafe) let table = table
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for round in 0..<20 {
                    let keys = (0..<200).map { 1 + thread + 8 * $0 }
                    for key in keys { handle_table_set(table, pointer(key), pointer(key + round)) }
                    let isRight = keys.allSatisfy { handle_table_find(table, pointer($0)) == pointer($0 + round) }
                    #expect(isRight)
                    for key in keys { handle_table_remove(table, pointer(key)) }
                }
            }
            #expect(handle_table_count(table) == 0)
        }
    }
}
