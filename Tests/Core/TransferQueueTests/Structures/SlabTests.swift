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

    @Test("An element lives as long as its place is taken, and no longer than the slab")
    func lifetimes() {
        let counter = Counter()
        do {
            var slab = Slab<Token>()
            let places = (0..<3000).map { _ in slab.take(Token(counter)) }
            #expect(counter.live == 3000)
            for place in places.prefix(1000) { slab.release(place) }
            let count = slab.count
            #expect(count == 2000)
            #expect(counter.live == 2000)
            _ = slab.take(Token(counter))
            #expect(counter.live == 2001)
        }
        #expect(counter.live == 0)
    }

    @Test("Places are used again, and none moves while others come and go")
    func reuse() {
        var slab = Slab<Int>()
        let first = slab.take(7)
        let address = slab[first]
        for round in 0..<1000 {
            let places = (0..<40).map { slab.take(round + $0) }
            for place in places.reversed() { slab.release(place) }
        }
        let (isSame, next) = (slab[first] == address, slab.take(0))
        #expect(isSame)
        #expect(address.pointee == 7)
        #expect(next <= 40)
    }
}
