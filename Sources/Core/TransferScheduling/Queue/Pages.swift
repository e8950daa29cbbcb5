// SPDX-License-Identifier: Apache-2.0

/// Numbered places for values of one type, which never move: reached by pointer, given back and used again.
///
/// Memory grows by pages, so nothing is copied as it grows and little lies idle. Reached by pointer, as the check that an
/// array is not shared costs more than most of what is done with an element; every number comes from a link that the
/// owner wrote.
struct Pages<Element: ~Copyable>: ~Copyable {
    private static var pageSize: Int32 { 1024 }

    private var pages: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    private var pageCapacity = 16
    private var pageCount = 0
    /// How many places were ever taken; those behind are not initialized.
    private(set) var used: Int32 = 0
    /// The numbers that were given back, the last one first to be taken again.
    private var free: UnsafeMutablePointer<Int32>
    private var freeCapacity = 16
    private var freeCount = 0

    /// No places taken.
    init() {
        pages = .allocate(capacity: pageCapacity)
        free = .allocate(capacity: freeCapacity)
    }

    deinit {
        for number in 0..<used { pointer(number).deinitialize(count: 1) }
        for page in 0..<pageCount { pages[page].deallocate() }
        pages.deallocate()
        free.deallocate()
    }

    /// The element at a place that is taken.
    subscript(number: Int32) -> UnsafeMutablePointer<Element> {
        @inline(__always) get { pointer(number) }
    }

    @inline(__always)
    private func pointer(_ number: Int32) -> UnsafeMutablePointer<Element> {
        pages[Int(number >> 10)] + Int(number & 1023)
    }

    /// How many places are taken.
    var count: Int { Int(used) - freeCount }

    var isEmpty: Bool { Int(used) == freeCount }

    /// Takes a place.
    @inline(__always)
    mutating func take(_ element: consuming Element) -> Int32 {
        if freeCount > 0 {
            freeCount -= 1
            let number = free[freeCount]
            pointer(number).pointee = element
            return number
        }
        if used == Int32(pageCount) * Self.pageSize { addPage() }
        let number = used
        used += 1
        pointer(number).initialize(to: element)
        return number
    }

    private mutating func addPage() {
        if pageCount == pageCapacity {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: pageCapacity * 2)
            larger.moveInitialize(from: pages, count: pageCount)
            pages.deallocate()
            pages = larger
            pageCapacity *= 2
        }
        (pages + pageCount).initialize(to: .allocate(capacity: Int(Self.pageSize)))
        pageCount += 1
    }

    /// Gives a place back. What lies there stays until the place is taken again.
    @inline(__always)
    mutating func release(_ number: Int32) {
        if freeCount == freeCapacity { growFree() }
        (free + freeCount).initialize(to: number)
        freeCount += 1
    }

    private mutating func growFree() {
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: freeCapacity * 2)
        larger.moveInitialize(from: free, count: freeCount)
        free.deallocate()
        free = larger
        freeCapacity *= 2
    }
}

// Guard: not copyable, so that whoever has it has the memory alone.
extension Pages: @unchecked Sendable where Element: Sendable & ~Copyable {}
