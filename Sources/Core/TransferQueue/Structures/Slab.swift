// SPDX-License-Identifier: Apache-2.0

extension Int32 {
    /// The value for "no index" in links between elements of a ``Slab``.
    @inlinable public static var noIndex: Int32 { -1 }
}

// Public, because `package` code is not inlined into other modules. Without inlining, an event would take half as
// long again.

/// A pool of values of one type, accessed by index. Values never move and are accessed by pointer. Indexes of removed
/// values are reused.
///
/// Memory grows by pages of 1024 values, so growth copies nothing. The owner must use only indexes of stored values.
public struct Slab<Element>: ~Copyable {
    @usableFromInline var pages: [UnsafeMutablePointer<Element>] = []
    /// The indexes of removed values. The index that was removed last is reused first.
    @usableFromInline var free: [Int32] = []
    @usableFromInline var used: Int32 = 0

    /// Creates an empty pool.
    @inlinable public init() {}

    @inlinable deinit {
        let free = Set(free)
        for number in 0..<used where !free.contains(number) { self[number].deinitialize(count: 1) }
        for page in pages { page.deallocate() }
    }

    /// Returns a pointer to the element at an index, which must be in use.
    @inlinable public subscript(number: Int32) -> UnsafeMutablePointer<Element> {
        @inline(__always) get { pages[Int(number >> 10)] + Int(number & 1023) }
    }

    /// The number of stored elements.
    @inlinable public var count: Int { Int(used) - free.count }

    /// Stores an element and returns its index.
    @inlinable @inline(__always)
    public mutating func insert(_ element: consuming Element) -> Int32 {
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

    /// Removes the element at an index, returns the element, and frees the index.
    @inlinable @inline(__always)
    public mutating func remove(_ number: Int32) -> Element {
        defer { free.append(number) }
        return self[number].move()
    }

    /// Destroys the element at an index and frees the index.
    @inlinable @inline(__always)
    public mutating func release(_ number: Int32) {
        self[number].deinitialize(count: 1)
        free.append(number)
    }
}

// Guard: not copyable, so that the owner has exclusive access to the memory.
extension Slab: @unchecked Sendable where Element: Sendable {}
