// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TransferQueue

@Suite("Slab")
struct SlabTests {
    private final class Counter {
        var live = 0
    }

    private final class Token {
        let counter: Counter

        init(_ counter: Counter) {
            self.counter = counter
            counter.live += 1
        }

        deinit { counter.live -= 1 }
    }

    @Test("An element lives until its release, and no longer than the slab")
    func lifetimes() {
        let counter = Counter()
        do {
            var slab = Slab<Token>()
            let numbers = (0..<3000).map { _ in slab.insert(Token(counter)) }
            #expect(counter.live == 3000)
            for number in numbers.prefix(1000) { slab.release(number) }
            let count = slab.count
            #expect(count == 2000)
            #expect(counter.live == 2000)
            _ = slab.insert(Token(counter))
            #expect(counter.live == 2001)
        }
        #expect(counter.live == 0)
    }

    @Test("Indices are reused, and elements never move")
    func reuse() {
        var slab = Slab<Int>()
        let first = slab.insert(7)
        let address = slab[first]
        for round in 0..<1000 {
            let numbers = (0..<40).map { slab.insert(round + $0) }
            for number in numbers.reversed() { slab.release(number) }
        }
        let (isSame, next) = (slab[first] == address, slab.insert(0))
        #expect(isSame)
        #expect(address.pointee == 7)
        #expect(next <= 40)
    }
}
