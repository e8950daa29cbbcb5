// SPDX-License-Identifier: Apache-2.0

/// Reads the files of a tar archive in order: POSIX.1-1988 (ustar), POSIX.1-2001 (pax) and GNU archives.
struct TarReader {
    private let stream: ByteStream
    /// The rest of the current file, with its padding.
    private var rest = 0

    init(_ stream: ByteStream) { self.stream = stream }

    /// A file in the archive.
    struct Entry {
        var name: String
        var size: Int
    }

    /// Returns the next plain file; `nil` at the end of the archive.
    mutating func next() throws -> Entry? {
        var (longName, longSize): (String?, Int?) = (nil, nil)
        while true {
            try stream.skip(rest)
            let header = try stream.read(512)
            guard !header.isEmpty, header.contains(where: { $0 != 0 }) else { return nil }
            guard header.count == 512, let size = longSize ?? Self.number(header[124..<136]), size >= 0, size < 1 << 40,
                Self.number(header[148..<156]) == Self.checksum(header)
            else { throw UsageError("\(stream.path) is not a tar archive, or is damaged") }
            rest = (size + 511) & ~511
            switch header[156] {
            case UInt8(ascii: "x"):
                let records = Self.records(try content(size))
                longName = records["path"] ?? longName
                longSize = try records["size"].map(parsedSize) ?? longSize
            case UInt8(ascii: "L"):
                longName = Self.text(try content(size)[...])
            case UInt8(ascii: "0"), 0:
                return Entry(name: longName ?? Self.name(header), size: size)
            default:
                (longName, longSize) = (nil, nil)
            }
        }
    }

    private func parsedSize(_ text: String) throws -> Int {
        guard let size = Int(text) else { throw UsageError("\(stream.path) is damaged: '\(text)' is not a size") }
        return size
    }

    /// Returns the content of the file that ``next()`` returned.
    mutating func content(of entry: Entry) throws -> [UInt8] { try content(entry.size) }

    private mutating func content(_ size: Int) throws -> [UInt8] {
        guard size <= 1 << 30 else { throw UsageError("\(stream.path) has a file of more than 1 GiB") }
        let bytes = try stream.read(size)
        guard bytes.count == size else { throw UsageError("\(stream.path) is cut off") }
        rest -= size
        return bytes
    }

    /// The sum of all bytes of a header, with spaces in place of the sum itself.
    private static func checksum(_ header: [UInt8]) -> Int {
        header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    }

    /// Returns a number in octal digits, or in base 256 if its first bit is set.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        guard let first = field.first else { return nil }
        if first & 0x80 != 0 { return field.dropFirst(4).reduce(0) { ($0 & (1 << 50 - 1)) << 8 | Int($1) } }
        let digits = text(field).filter { $0 != " " }
        return digits.isEmpty ? 0 : Int(digits, radix: 8)
    }

    private static func name(_ header: [UInt8]) -> String {
        let isUstar = header[257..<262].elementsEqual("ustar".utf8) && header[263] == UInt8(ascii: "0")
        let folder = isUstar ? text(header[345..<500]) : ""
        return (folder.isEmpty ? "" : folder + "/") + text(header[0..<100])
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String {
        String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the records of a pax header: `LENGTH KEY=VALUE\n`.
    private static func records(_ bytes: [UInt8]) -> [String: String] {
        var (records, rest): ([String: String], ArraySlice<UInt8>) = ([:], bytes[...])
        while let space = rest.firstIndex(of: UInt8(ascii: " ")),
            let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length <= rest.count,
            rest.startIndex + length > space
        {
            let sides = rest[space..<rest.startIndex + length].dropFirst().dropLast().split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if sides.count == 2 {
                records[String(decoding: sides[0], as: UTF8.self)] = String(decoding: sides[1], as: UTF8.self)
            }
            rest = rest.dropFirst(length)
        }
        return records
    }
}
