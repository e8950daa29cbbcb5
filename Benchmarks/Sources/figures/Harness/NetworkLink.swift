// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A link between two network namespaces. Namespaces and link are removed on deinitialization.
final class NetworkLink {
    /// The address at the server's end.
    static let serverAddress = "10.77.0.1"
    /// The command prefix that runs a command at the server's end. ``atClient`` is the prefix for the client's end.
    let atServer: [String]
    let atClient: [String]
    private let namespaceProcess = Process()
    private let lifeline = Pipe()

    /// Creates a link of limited bandwidth. Needs no privileges on systems where users may create namespaces.
    ///
    /// - Throws: `BenchmarkError` if a tool is missing or the kernel refuses.
    convenience init(options: Options, megabitsPerSecond: Int) throws {
        try self.init(
            options: options, tools: ["tc", "sh"],
            command: ["sh", "-c", Self.narrow, "sh", "\(megabitsPerSecond)mbit", Self.serverAddress])
    }

    /// Creates a link that delays each packet and loses some, as a user-space program with two TUN devices.
    ///
    /// - Parameters:
    ///   - delay: The milliseconds in each direction.
    ///   - loss: The share of packets that are lost, 0…1.
    ///   - seed: The seed of the numbers that decide about each packet, in the order of their arrival.
    /// - Throws: `BenchmarkError` if a tool is missing or the kernel refuses.
    convenience init(options: Options, delay: Double, loss: Double, seed: Int = 2026) throws {
        try self.init(
            options: options, tools: ["python3"],
            command: ["python3", "-c", Self.lossy, "\(delay / 1000)", "\(loss)", "\(seed)", Self.serverAddress])
    }

    private init(options: Options, tools: [String], command: [String]) throws {
        let found = (["unshare", "nsenter", "ip"] + tools).map { ($0, options.program($0)) }
        let missing = found.filter { $0.1 == nil }.map(\.0)
        guard missing.isEmpty, let unshare = options.program("unshare"), let nsenter = options.program("nsenter") else {
            throw BenchmarkError("not installed: \(missing.joined(separator: ", "))")
        }
        namespaceProcess.executableURL = URL(fileURLWithPath: unshare)
        namespaceProcess.arguments = ["--map-root-user", "--net"] + command
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
        let processes = String(decoding: receivedData, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard processes.count == 2 else {
            try? lifeline.fileHandleForWriting.close()
            namespaceProcess.waitUntilExit()
            let reason = String(decoding: errorPipe.fileHandleForReading.availableData, as: UTF8.self)
            throw BenchmarkError("cannot create two network namespaces with a link: \(reason)")
        }
        func entering(_ process: Substring) -> [String] {
            [nsenter, "--target", String(process), "--user", "--net", "--preserve-credentials", "--"]
        }
        (atServer, atClient) = (entering(processes[0]), entering(processes[1]))
    }

    deinit {
        // All processes that keep the namespaces alive end at the end of this pipe.
        try? lifeline.fileHandleForWriting.close()
        namespaceProcess.waitUntilExit()
    }

    /// The script that runs in the server's namespace. The script creates the client's namespace and the link, and
    /// prints the IDs of the processes that keep the server's and the client's namespaces alive.
    private static let narrow = """
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
        echo $$ $client
        exec cat >/dev/null
        """

    /// The script that creates a TUN device in each namespace and carries the packets between them. Prints the IDs of the
    /// processes that keep the server's and the client's namespaces alive.
    private static let lossy = """
        import ctypes, fcntl, heapq, os, random, select, signal, struct, subprocess, sys, time
        delay, loss, chance = float(sys.argv[1]), float(sys.argv[2]), random.Random(int(sys.argv[3]))
        def device(name, address):
            file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(file, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1001))
            for words in (["link", "set", "lo", "up"], ["address", "add", address + "/24", "dev", name],
                          ["link", "set", name, "up"]):
                subprocess.run(["ip"] + words, check=True)
            return file
        server = device("far", sys.argv[4])
        holder = os.fork()
        if holder == 0:
            while True: signal.pause()
        if ctypes.CDLL(None, use_errno=True).unshare(0x40000000): sys.exit(os.strerror(ctypes.get_errno()))
        client = device("near", "10.77.0.2")
        subprocess.run(["ip", "route", "add", "default", "via", sys.argv[4]], check=True)
        print(holder, os.getpid(), flush=True)
        poll, packets, count = select.poll(), [], 0
        for file in (0, server, client): poll.register(file, select.POLLIN)
        while True:
            wait = max(0, packets[0][0] - time.monotonic()) * 1000 if packets else None
            events = [file for file, _ in poll.poll(wait)]
            if 0 in events: break
            for file in events:
                try:
                    while True:
                        packet = os.read(file, 65536)
                        if chance.random() >= loss:
                            count += 1
                            heapq.heappush(packets, (time.monotonic() + delay, count, client if file == server else server, packet))
                except BlockingIOError: pass
            while packets and packets[0][0] <= time.monotonic():
                try: os.write(packets[0][2], packets[0][3])
                except OSError: pass
                heapq.heappop(packets)
        os.kill(holder, signal.SIGKILL)
        """
}
