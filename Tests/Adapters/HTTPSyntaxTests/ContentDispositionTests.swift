// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPSyntax

@Suite("N2: names in Content-Disposition")
struct ContentDispositionTests {
    @Test(
        "The name is read as browsers read it",
        arguments: [
            // The form with a character set comes first, wherever it stands.
            ("attachment; filename*=UTF-8''%e2%82%ac.txt; filename=euro.txt", "€.txt"),
            ("attachment; filename=euro.txt; FILENAME*=utf-8'en'%e2%82%ac.txt", "€.txt"),
            ("attachment; filename*=windows-1252''%80.txt", "€.txt"),
            ("attachment; filename*=klingon''x.txt; filename=ok.txt", "ok.txt"),
            // Without a type, or with an unknown one.
            ("filename=a.txt", "a.txt"), ("filename=\"a;b.txt\"", "a;b.txt"), ("; filename=a.txt", "a.txt"),
            ("filename*=UTF-8''b.txt", "b.txt"), ("download; filename=a.txt", "a.txt"),
            ("attachment filename=a.txt", "a.txt"),
            ("form-data; name=\"x\"; filename=\"a.txt\"", "a.txt"),
            ("attachment;filename = \"a.txt\" ; size=3", "a.txt"),
            // Quoted strings, raw UTF-8, and a missing end.
            ("attachment; filename=\"a \\\"b\\\" c.txt\"", "a \"b\" c.txt"),
            ("attachment; filename=\"naïve € 漢.txt\"", "naïve € 漢.txt"),
            ("attachment; filename=naïve.txt", "naïve.txt"), ("attachment; filename=\"a.txt", "a.txt"),
            ("attachment; x=\"; filename=no.txt\"; filename=yes.txt", "yes.txt"),
            // Continuations.
            ("attachment; filename*0=\"long \"; filename*1=\"name.txt\"", "long name.txt"),
            ("attachment; filename*1=\"name.txt\"; filename*0=\"long \"", "long name.txt"),
            ("attachment; filename*0*=UTF-8''%e2%82%ac; filename*1=\"%20.txt\"", "€%20.txt"),
            ("attachment; filename*0*=UTF-8''%e2%82; filename*1*=%ac.txt; filename=x", "€.txt"),
            ("attachment; filename*0=a; filename*2=c; filename=whole", "a"),
            // Encoded words.
            ("attachment; filename=\"=?UTF-8?B?4oKsLnR4dA==?=\"", "€.txt"),
            ("attachment; filename=\"=?utf-8?q?caf=C3=A9_au_lait.txt?=\"", "café au lait.txt"),
            ("attachment; filename=\"=?ISO-8859-1?Q?caf=e9?= =?UTF-8?Q?=C3=A9.txt?=\"", "caféé.txt"),
            ("attachment; filename=\"a =?UTF-8?B?4oKs?=.txt\"", "a €.txt"),
            ("attachment; filename=\"=?UTF-8?X?abc?=.txt\"", "=?UTF-8?X?abc?=.txt"),
            ("attachment; filename=\"=?.txt\"", "=?.txt"),
        ])
    func name(field: String, name: String) { #expect(ContentDisposition(field).fileName == name) }

    @Test(
        "A field without a name has none",
        arguments: ["", "attachment", "inline; size=3", "=", ";;=;", "attachment; filename*=x"])
    func none(field: String) { #expect(ContentDisposition(field).fileName == nil) }

    @Test("A name in a URL that is not UTF-8 is Latin-1")
    func latin1() {
        #expect(ServerFileName.name(disposition: nil, url: "http://h/caf%e9.txt") == "café.txt")
    }
}
