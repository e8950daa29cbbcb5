// SPDX-License-Identifier: Apache-2.0

extension Int32 {
    /// The value for "no place" in links between places of a ``Slab``.
    @inlinable public static var nowhere: Int32 { -1 }
}

// Public, because `package` code is not inlined into other modules. Without inlining, an event would take half as
// long again.

/// A collection of numbered places for values of one type. Values never move and are reached by pointer, and released
/// places are used again.
///
/// Memory grows by pages of 1024 places, so growth copies nothing. The owner must only use the numbers of places that
/// are taken.
public struct Slab<Element>: ~Copyable {
    @usableFromInline var pages: [UnsafeMutablePointer<Element>] = []
    /// The numbers of released places. The number that was released last is taken first.
    @usableFromInline var free: [Int32] = []
    @usableFromInline var used: Int32 = 0

    /// Creates a slab without places.
    @inlinable public init() {}

    @inlinable deinit {
        let free = Set(free)
        for number in 0..<used where !free.contains(number) { self[number].deinitialize(count: 1) }
        for page in pages { page.deallocate() }
    }

    /// Returns a pointer to the element at a place, which must be taken.
    @inlinable public subscript(number: Int32) -> UnsafeMutablePointer<Element> {
        @inline(__always) get { pages[Int(number >> 10)] + Int(number & 1023) }
    }

    /// The number of places taken.
    @inlinable public var count: Int { Int(used) - free.count }

    /// Stores an element in a free place and returns its number.
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

    /// Destroys the element at a place and releases the place.
    @inlinable @inline(__always)
    public mutating func release(_ number: Int32) {
        self[number].deinitialize(count: 1)
        free.append(number)
    }
}

// Guard: not copyable, so that the owner has exclusive access to the memory.
extension Slab: @unchecked Sendable where Element: Sendable {}
