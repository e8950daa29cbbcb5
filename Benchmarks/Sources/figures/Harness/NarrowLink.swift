// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A link of limited bandwidth between two network namespaces. Namespaces and link are removed on deinitialization.
final class NarrowLink {
    /// The address at the server's end.
    static let serverAddress = "10.77.0.1"
    /// The command prefix that runs a command at the server's end. ``atClient`` is the prefix for the client's end.
    let atServer: [String]
    let atClient: [String]
    private let namespaceProcess = Process()
    private let lifeline = Pipe()

    /// Creates a link. Needs no privileges on systems where users may create namespaces.
    ///
    /// - Throws: `BenchmarkError` if a tool is missing or the kernel refuses.
    init(options: Options, megabitsPerSecond: Int) throws {
        let tools = ["unshare", "nsenter", "ip", "tc", "sh"].map { ($0, options.program($0)) }
        let missing = tools.filter { $0.1 == nil }.map(\.0)
        guard missing.isEmpty, let unshare = options.program("unshare"), let nsenter = options.program("nsenter") else {
            throw BenchmarkError("not installed: \(missing.joined(separator: ", ")) (Debian's util-linux and iproute2)")
        }
        namespaceProcess.executableURL = URL(fileURLWithPath: unshare)
        namespaceProcess.arguments = [
            "--map-root-user", "--net", "sh", "-c", Self.script, "sh", "\(megabitsPerSecond)mbit", Self.serverAddress,
        ]
        var environment = ProcessInfo.processInfo.environment
        environment["PATH", default: "/usr/bin:/bin"] += ":/usr/sbin:/sbin"
        namespaceProcess.environment = environment
        namespaceProcess.standardInput = lifeline
        let (outputPipe, errorPipe) = (Pipe(), Pipe())
        namespaceProcess.standardOutput = outputPipe
        namespaceProcess.standardError = errorPipe
        try namespaceProcess.run()
        var receivedData = Data()
        while !receivedData.contains(UInt8(ascii: "\n")), case let more = outputPipe.fileHandleForReading.availableData,
            !more.isEmpty
        { receivedData += more }
        guard
            let client = Int(
                String(decoding: receivedData, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            try? lifeline.fileHandleForWriting.close()
            namespaceProcess.waitUntilExit()
            let reason = String(decoding: errorPipe.fileHandleForReading.availableData, as: UTF8.self)
            throw BenchmarkError("cannot create two network namespaces with a narrow link: \(reason)")
        }
        func entering(_ process: Int) -> [String] {
            [nsenter, "--target", "\(process)", "--user", "--net", "--preserve-credentials", "--"]
        }
        atServer = entering(Int(namespaceProcess.processIdentifier))
        atClient = entering(client)
    }

    deinit {
        // Both processes that keep the namespaces alive end at the end of this pipe.
        try? lifeline.fileHandleForWriting.close()
        namespaceProcess.waitUntilExit()
    }

    /// The script that runs in the server's namespace. The script creates the client's namespace and the link, and
    /// prints the ID of the process that keeps the client's namespace alive.
    private static let script = """
        set -e
        exec 3<&0
        ip link set lo up
        unshare --net cat <&3 >/dev/null &
        client=$!
        while [ "$(readlink /proc/$client/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
        ip link add name toclient type veth peer name toserver netns $client
        ip address add "$2/24" dev toclient
        ip link set toclient up
        nsenter --target $client --net sh -ec "ip link set lo up; ip address add 10.77.0.2/24 dev toserver; \
        ip link set toserver up; ip route add default via $2"
        tc qdisc add dev toclient root tbf rate "$1" burst 32kbit latency 50ms
        echo $client
        exec cat >/dev/null
        """
}
