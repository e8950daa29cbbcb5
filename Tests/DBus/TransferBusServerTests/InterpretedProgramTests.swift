// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferBusProtocol

@testable import TransferBusServer

@Suite struct InterpretedProgramTests {
    @Test(
        "C4: an interpreted program is identified by its script",
        arguments: [
            ("/usr/bin/python3.11", "python3 -u -W ignore tool.py --to x", "/data/u/tool.py"),
            ("/usr/bin/python3.11", "python3 -m pkg.tool x", "python pkg.tool"),
            ("/usr/bin/python3", "python3 ./a/../b.py", "/data/u/b.py"),
            ("/usr/bin/node", "node -r x /app/main.js", "/app/main.js"),
            ("/bin/bash", "bash -o pipefail /opt/run.sh -c", "/opt/run.sh"),
            ("/usr/bin/perl", "perl -w /opt/t.pl", "/opt/t.pl"),
            ("/usr/lib/jvm/bin/java", "java -Xmx1g -cp a:b org.example.Main", "java org.example.Main"),
            ("/usr/lib/jvm/bin/java", "java -jar /opt/app.jar", "/opt/app.jar"),
            ("/usr/bin/deno", "deno run /x.ts", "/x.ts"),
            ("/bin/sh", "sh -e /opt/run.sh", "/opt/run.sh"), ("/bin/bash", "bash -eu run.sh -c", "/data/u/run.sh"),
            ("/usr/bin/python3", "python3 -E tool.py", "/data/u/tool.py"),
            ("/usr/bin/lua5.4", "lua -e x=1 /opt/a.lua", "/opt/a.lua"),
        ])
    func scripts(executable: String, words: String, app: String) {
        var facts = BusCallerTests.facts(executable)
        facts.arguments = words.split(separator: " ").map(String.init)
        facts.workingFolder = "/data/u"
        #expect(InterpretedProgram.app(of: facts) == app)
        #expect(CallerClassifier().caller(":1", process: 1, facts).app == app)
    }

    @Test(
        "Other programs, and interpreters without a script, are identified by their executable",
        arguments: [
            ("/usr/bin/pythonista", "pythonista a.py"), ("/usr/bin/python3", "python3 -c import"),
            ("/usr/bin/python3", "python3"),
            ("/bin/sh", "sh -c echo"), ("/bin/sh", "sh -ec echo"), ("/bin/sh", "sh -s x"),
            ("/usr/bin/perl", "perl -ne print"), ("/usr/bin/php", "php -r echo"), ("/opt/tool", "tool a.py"),
        ])
    func others(executable: String, words: String) {
        var facts = BusCallerTests.facts(executable)
        facts.arguments = words.split(separator: " ").map(String.init)
        #expect(CallerClassifier().caller(":1", process: 1, facts).app == executable)
    }
}
