// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import transferd

@Suite("what an idle daemon gives back")
struct IdleMemoryTests {
    private let program = "/usr/bin/transferd"

    private func mapping(_ head: String, anonymous: Int) -> String {
        """
        \(head)
        Size:                 64 kB
        Rss:                  64 kB
        Anonymous:             \(anonymous) kB
        VmFlags: rd ex mr mw me

        """
    }

    @Test("Only code of which no page was written is let go of")
    func unwritten() {
        let smaps = [
            mapping("1000-3000 r-xp 00000000 fe:00 12 /usr/bin/transferd", anonymous: 0),
            mapping("3000-4000 r--p 00002000 fe:00 12 /usr/bin/transferd", anonymous: 4),
            mapping("4000-5000 rw-p 00003000 fe:00 12 /usr/bin/transferd", anonymous: 0),
            mapping("5000-6000 r--s 00000000 fe:00 13 /var/cache/a name", anonymous: 0),
            mapping("6000-7000 r--p 00000000 fe:00 14 /usr/lib/a name.so", anonymous: 0),
            mapping("7000-8000 r--p 00000000 00:00 0", anonymous: 0),
            mapping("a000-b000 r--p 00000000 fe:00 16 /usr/share/mime/mime.cache", anonymous: 0),
            mapping("8000-9000 r-xp 00000000 00:00 0 [vdso]", anonymous: 0),
            mapping("9000-a000 r--p 00000000 00:01 0 /memfd:x", anonymous: 0),
            mapping("7f0000000000-7f0000010000 r-xp 00000000 fe:00 15 /usr/lib/b.so", anonymous: 0),
        ].joined()
        #expect(
            MappedFile.unwritten(in: smaps, of: program)
                == [0x1000..<0x3000, 0x6000..<0x7000, 0x7f00_0000_0000..<0x7f00_0001_0000])
        #expect(MappedFile.unwritten(in: "", of: program) == [])
        let odd = "zz-1 r-xp 0 0 1 /a.so\nAnonymous: 0 kB\n2-1 r-xp 0 0 1 /a.so\nAnonymous: 0 kB\n"
        #expect(MappedFile.unwritten(in: odd, of: program) == [])
    }
}
