// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A link of limited bandwidth between two network namespaces. Namespaces and link are removed on deinitialization.
final class NarrowLink {
    /// The address at the server's end.
    static let serverAddress = "10.77.0.1"
    /// The command prefix that runs a command at the server's end. ``atClient`` is the prefix for the client's end.
    let atServer: [String]
    let atClient: [String]
    private let holder = Process()
    private let lifeline = Pipe()

    /// Creates a link. Needs no privileges on systems where users may create namespaces.
    ///
    /// - Throws: `FigureError` if a tool is missing or the kernel refuses.
    init(options: Options, megabitsPerSecond: Int) throws {
        let tools = ["unshare", "nsenter", "ip", "tc", "sh"].map { ($0, options.program($0)) }
        let missing = tools.filter { $0.1 == nil }.map(\.0)
        guard missing.isEmpty, let unshare = options.program("unshare"), let nsenter = options.program("nsenter") else {
            throw FigureError("not installed: \(missing.joined(separator: ", ")) (Debian's util-linux and iproute2)")
        }
        holder.executableURL = URL(fileURLWithPath: unshare)
        holder.arguments = [
            "--map-root-user", "--net", "sh", "-c", Self.script, "sh", "\(megabitsPerSecond)mbit", Self.serverAddress,
        ]
        var environment = ProcessInfo.processInfo.environment
        environment["PATH", default: "/usr/bin:/bin"] += ":/usr/sbin:/sbin"
        holder.environment = environment
        holder.standardInput = lifeline
        let (answer, complaints) = (Pipe(), Pipe())
        holder.standardOutput = answer
        holder.standardError = complaints
        try holder.run()
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")), case let more = answer.fileHandleForReading.availableData,
            !more.isEmpty
        { said += more }
        guard let client = Int(String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            try? lifeline.fileHandleForWriting.close()
            holder.waitUntilExit()
            let reason = String(decoding: complaints.fileHandleForReading.availableData, as: UTF8.self)
            throw FigureError("no two network namespaces with a narrow link can be had here: \(reason)")
        }
        func entering(_ process: Int) -> [String] {
            [nsenter, "--target", "\(process)", "--user", "--net", "--preserve-credentials", "--"]
        }
        atServer = entering(Int(holder.processIdentifier))
        atClient = entering(client)
    }

    deinit {
        // Both processes that keep the namespaces alive end at the end of this pipe.
        try? lifeline.fileHandleForWriting.close()
        holder.waitUntilExit()
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
