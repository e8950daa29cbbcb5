// SPDX-License-Identifier: Apache-2.0
import Foundation

extension LabEvents {
    /// The same model in the style of each simulator's own examples. The last line of the output is nanoseconds per
    /// event.
    private static let scripts = [
        "simpy": """
        import random, simpy, sys, time
        N = int(sys.argv[1]); random.seed(1); env = simpy.Environment(); servers = simpy.Resource(env, 64)
        def customer():
            with servers.request() as turn:
                yield turn
                yield env.timeout(random.expovariate(1 / 60))
        def source():
            for _ in range(N):
                yield env.timeout(random.expovariate(64 * 0.95 / 60))
                env.process(customer())
        env.process(source()); start = time.process_time(); env.run()
        print((time.process_time() - start) / (2 * N) * 1e9)
        """,
        "salabim": """
        import salabim as sim, sys, time
        N = int(sys.argv[1])
        class Customer(sim.Component):
            def process(self):
                self.request(servers)
                self.hold(sim.Exponential(60).sample())
        class Source(sim.Component):
            def process(self):
                for _ in range(N):
                    self.hold(sim.Exponential(60 / (64 * 0.95)).sample())
                    Customer()
        sim.yieldless(True)
        env = sim.Environment(trace=False, random_seed=1); servers = sim.Resource(capacity=64)
        Source(); start = time.process_time(); env.run()
        print((time.process_time() - start) / (2 * N) * 1e9)
        """,
    ]

    /// Returns the nanoseconds per event; `nil` if Python or the module is not installed.
    static func python(_ module: String, _ options: Options) throws -> Spread? {
        guard let program = options.program("python3"), let script = scripts[module] else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-c", script, module == "simpy" ? "20000" : "2000"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            // A missing module is not an error. Any other failure is.
            guard errorText.contains("No module named") else { throw BenchmarkError("\(module): \(errorText)") }
            return nil
        }
        return text.split(separator: "\n").last.flatMap { Double($0) }.map { Spread($0) }
    }
}
