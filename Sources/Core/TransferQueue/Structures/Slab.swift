// SPDX-License-Identifier: Apache-2.0

extension Int32 {
    /// Stands for "no place" in links between places of a ``Slab``.
    @inlinable public static var nowhere: Int32 { -1 }
}

// Public, for `package` code is not put in line in another module: an event would take half as long again.

/// Numbered places for values of one type, which never move: reached by pointer, given back and used again.
///
/// Memory grows by pages of 1024, so nothing is copied as it grows. The owner answers for numbers being those of places
/// that are taken.
public struct Slab<Element>: ~Copyable {
    @usableFromInline var pages: [UnsafeMutablePointer<Element>] = []
    /// The numbers that were given back, the last one first to be taken again.
    @usableFromInline var free: [Int32] = []
    @usableFromInline var used: Int32 = 0

    /// No places taken.
    @inlinable public init() {}

    @inlinable deinit {
        let free = Set(free)
        for number in 0..<used where !free.contains(number) { self[number].deinitialize(count: 1) }
        for page in pages { page.deallocate() }
    }

    /// The element at a place that is taken.
    @inlinable public subscript(number: Int32) -> UnsafeMutablePointer<Element> {
        @inline(__always) get { pages[Int(number >> 10)] + Int(number & 1023) }
    }

    /// The number of places taken.
    @inlinable public var count: Int { Int(used) - free.count }

    /// Takes a place.
    @inlinable @inline(__always)
    public mutating func take(_ element: consuming Element) -> Int32 {
        let number = free.popLast() ?? new()
        self[number].initialize(to: element)
        return number
    }

    @inlinable
    mutating func new() -> Int32 {
        if Int(used) == pages.count << 10 { pages.append(.allocate(capacity: 1024)) }
        used += 1
        return used - 1
    }

    /// Gives a place back.
    @inlinable @inline(__always)
    public mutating func release(_ number: Int32) {
        self[number].deinitialize(count: 1)
        free.append(number)
    }
}

// Guard: not copyable, so that whoever has it has the memory alone.
extension Slab: @unchecked Sendable where Element: Sendable {}
