// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import Testing
import URLSessionInterposer

/// The state of the mprotect replacement: the number of calls, and the number of the first call that fails.
private let protection = Mutex((calls: 0, failsAt: Int.max))

private let countingProtect: protect_fn = { start, length, mode in
    let fails = protection.withLock { state in
        state.calls += 1
        return state.calls >= state.failsAt
    }
    guard fails else { return mprotect(start, length, mode) }
    errno = EACCES
    return -1
}

@Suite("Import replacement", .serialized)
struct ImportReplacementTests {
    /// A library with imports. Tests never call the imports that they replace.
    private static let library = "libFoundationNetworking."
    /// An import that is bound at its first call and is on a page that stays writable.
    private static let lazy = "curl_version"
    /// An import that is bound when the library is loaded and is on a page that becomes read-only. Never used
    /// afterward.
    private static let early = "_ITM_registerTMCloneTable"

    private typealias Change = (name: String, value: UnsafeMutableRawPointer?, expected: UnsafeMutableRawPointer?)

    init() { _ = URLSession.self }

    private func value(_ name: String) throws -> UnsafeMutableRawPointer? {
        try #require(import_slot(Self.library, name)).pointee
    }

    private func replace(
        _ changes: [Change], in library: String = library, optional: Set<String> = [], refused: [String] = [],
        failsAt: Int = .max
    ) -> (count: Int32, reason: String, calls: Int) {
        protection.withLock { $0 = (0, failsAt) }
        let names = changes.map { strdup($0.name) }
        let refusedNames = refused.map { strdup($0) }
        let prefix = strdup(library)
        defer { for text in names + refusedNames + [prefix] { free(text) } }
        let replacements = zip(changes, names).map { change, name in
            import_replacement(
                name: name, replacement: change.value, expected: change.expected,
                is_optional: optional.contains(change.name) ? 1 : 0)
        }
        var reason = [CChar](repeating: 0, count: 200)
        let unwanted: [UnsafePointer<CChar>?] = refusedNames.map { UnsafePointer($0) } + [nil]
        let count = replacements.withUnsafeBufferPointer { list in
            unwanted.withUnsafeBufferPointer { unwanted in
                var set = import_set(
                    prefix: prefix, may_be_in_program: 0, replacements: list.baseAddress, count: list.count,
                    refused: unwanted.baseAddress)
                return replace_imports(&set, 1, countingProtect, &reason, reason.count)
            }
        }
        let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return (count, text, protection.withLock(\.calls))
    }

    /// Returns whether the memory at the address is writable, according to /proc/self/maps.
    private func isWritable(_ pointer: UnsafeRawPointer) throws -> Bool {
        let address = UInt(bitPattern: pointer)
        for line in try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, (ends[0]..<ends[1]).contains(address) { return words[1].contains("w") }
        }
        return false
    }

    private let mark = UnsafeMutableRawPointer(bitPattern: 0x1000)

    @Test("C14: If an import is missing, nothing is replaced, and the reason names the import")
    func missing() throws {
        let (early, lazy) = (try value(Self.early), try value(Self.lazy))
        let changes: [Change] = [
            (Self.early, mark, nil), ("curl_no_such_call", mark, nil), (Self.lazy, mark, nil),
        ]
        let result = replace(changes)
        #expect(result.count == 0 && result.calls == 0)
        #expect(result.reason == "curl_no_such_call is not imported by libFoundationNetworking.so")
        #expect(try value(Self.early) == early && value(Self.lazy) == lazy)
        // An optional import that is missing is skipped.
        let own = dlsym(nil, Self.lazy)
        let done = replace(
            [(Self.early, mark, nil), ("curl_no_such_call", mark, nil), (Self.lazy, own, nil)],
            optional: ["curl_no_such_call"])
        #expect(done.count == 2, "\(done.reason)")
        #expect(try value(Self.early) == mark && value(Self.lazy) == own)
        #expect(replace([(Self.early, early, nil), (Self.lazy, lazy, nil)]).count == 2)
        #expect(try value(Self.early) == early && value(Self.lazy) == lazy)
    }

    @Test("C14: A page that the loader made read-only is read-only again after a replacement")
    func protected() throws {
        let slot = try #require(import_slot(Self.library, Self.early))
        try #require(try !isWritable(slot))
        let before = slot.pointee
        let done = replace([(Self.early, mark, nil)])
        #expect(done.count == 1, "\(done.reason)")
        #expect(done.calls == 2)
        #expect(slot.pointee == mark)
        #expect(try !isWritable(slot))
        #expect(replace([(Self.early, before, nil)]).count == 1)
        #expect(try !isWritable(slot))
        // A page that was writable before stays writable.
        let other = try #require(import_slot(Self.library, Self.lazy))
        let wasWritable = try isWritable(other)
        #expect(replace([(Self.lazy, other.pointee, nil)]).count == 1)
        #expect(try isWritable(other) == wasWritable)
    }

    @Test("C14: If memory cannot be made writable, nothing is replaced, and the reason says so")
    func unwritable() throws {
        let (early, lazy) = (try value(Self.early), try value(Self.lazy))
        let result = replace([(Self.lazy, mark, nil), (Self.early, mark, nil)], failsAt: 1)
        #expect(result.count == 0)
        #expect(result.reason.hasPrefix("the imports cannot be made writable: Permission denied"))
        #expect(try value(Self.early) == early && value(Self.lazy) == lazy)
    }

    @Test("C14: If other code has replaced an import, nothing is replaced")
    func alreadyReplaced() throws {
        let lazy = try value(Self.lazy)
        let own = dlsym(nil, Self.lazy)
        #expect(replace([(Self.lazy, lazy, own)]).count == 1)
        let early = try value(Self.early)
        let result = replace([(Self.lazy, mark, nil), (Self.early, mark, dlsym(nil, "free"))])
        // The early import is bound to nothing, which differs from the expected function.
        #expect(result.count == 0)
        #expect(result.reason.hasPrefix("the import of \(Self.early) by libFoundationNetworking.so is bound to"))
        #expect(try value(Self.early) == early && value(Self.lazy) == lazy)
    }

    @Test("C14: A library with unsupported imports is not changed, and neither is a library that is not loaded")
    func unforeseen() throws {
        let lazy = try value(Self.lazy)
        let result = replace([(Self.lazy, mark, nil)], refused: ["curl_no_such_call", "curl_multi_init"])
        #expect(result.count == 0)
        #expect(result.reason == "curl_multi_init is imported by libFoundationNetworking.so, which is not supported")
        #expect(try value(Self.lazy) == lazy)
        #expect(replace([(Self.lazy, mark, nil)], in: "libnosuch.").reason == "libnosuch.* is not loaded")
    }

    // MARK: Pages

    @Test(
        "C14: Pages around bytes are computed for page sizes of 4, 16, and 64 KiB",
        arguments: [
            (0x1_0000, 8, 0x1000, 0x1_0000, 0x1000), (0x1_0FF8, 8, 0x1000, 0x1_0000, 0x1000),
            (0x1_0FFC, 8, 0x1000, 0x1_0000, 0x2000), (0x1_2345, 0x2000, 0x1000, 0x1_2000, 0x3000),
            (0x1_5000, 8, 0x4000, 0x1_4000, 0x4000), (0x1_7FFC, 8, 0x4000, 0x1_4000, 0x8000),
            (0x2_5000, 8, 0x1_0000, 0x2_0000, 0x1_0000), (0x2_FFFC, 8, 0x1_0000, 0x2_0000, 0x2_0000),
            (0x2_5000, 0, 0x1_0000, 0x2_0000, 0),
        ] as [(UInt, Int, Int, UInt, Int)])
    func around(start: UInt, length: Int, page: Int, first: UInt, count: Int) {
        let pages = pages_around(start, length, page)
        #expect((pages.start, pages.length) == (first, count))
    }

    @Test(
        "C14: The read-only range ends at the last whole page, because other data share the rest of larger pages",
        arguments: [
            // FoundationNetworking of Swift 6.3.1 is linked for 4 KiB pages. Its writable data follow at 0x10B000.
            (0x10_5218, 0x5DE8, 0x1000, 0x10_5000, 0x6000), (0x10_5218, 0x5DE8, 0x4000, 0x10_4000, 0x4000),
            (0x10_5218, 0x5DE8, 0x1_0000, 0x10_0000, 0), (0x1_8000, 0x1_8000, 0x1_0000, 0x1_0000, 0x2_0000),
            (0x1_0000, 0x1_0000, 0x1_0000, 0x1_0000, 0x1_0000), (0x1_0010, 0x10, 0x1000, 0x1_0000, 0),
        ] as [(UInt, Int, Int, UInt, Int)])
    func readOnly(start: UInt, length: Int, page: Int, first: UInt, count: Int) {
        let pages = pages_after_relocation(start, length, page)
        #expect((pages.start, pages.length) == (first, count))
    }
}
