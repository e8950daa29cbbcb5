// SPDX-License-Identifier: Apache-2.0

/// The number of code lines that each target may have: lines that are neither blank nor only a comment.
///
/// A change that needs more names what it deletes instead, or says in its message why the budget grows. A change that
/// deletes lowers the budget, so that nothing grows back unseen.
enum Budgets {
    /// The number of lines that a target may be below its budget.
    static let slack = 100

    /// The budget of each folder with code: targets, and folders of tests.
    static let lines = [
        "Sources/Adapters/CommandRunner": 740, "Sources/Adapters/CurlTransport": 640,
        "Sources/Adapters/GLibBridge": 1440, "Sources/Adapters/HTTPExecutor": 4120, "Sources/Adapters/HTTPSyntax": 380,
        "Sources/Adapters/LinuxClock": 300, "Sources/Adapters/LinuxConditions": 4040,
        "Sources/Adapters/LinuxKernel": 700, "Sources/Adapters/ProgramStarter": 140,
        "Sources/Adapters/SQLiteStore": 2580, "Sources/Adapters/SessionFolders": 140,
        "Sources/Adapters/TransferFiles": 1580, "Sources/Adapters/TransferWorker": 300,
        "Sources/Adapters/URLSessionTransport": 240, "Sources/Adapters/UploadSpool": 380,
        "Sources/Adapters/WorkerExecutor": 1260, "Sources/Client/BackgroundTransfer": 4160,
        "Sources/Client/BackgroundTransferEmbedded": 960, "Sources/Core/PolicyLab": 4280,
        "Sources/Core/SessionLogic": 1620, "Sources/Core/TransferPolicy": 2540, "Sources/Core/TransferQueue": 2300,
        "Sources/Core/TransferScheduling": 2600, "Sources/DBus/TransferBusClient": 320,
        "Sources/DBus/TransferBusProtocol": 1300, "Sources/DBus/TransferBusServer": 2980,
        "Sources/Engine/TransferEngine": 2640, "Sources/Engine/TransferSessions": 620,
        "Sources/Model/TransferModel": 2560, "Sources/Samples/podcasts": 180,
        "Sources/SystemLibraries/CConfinement": 240, "Sources/SystemLibraries/CCrypto": 20,
        "Sources/SystemLibraries/CCurl": 160, "Sources/SystemLibraries/CGIO": 20,
        "Sources/SystemLibraries/CLinuxFiles": 40, "Sources/SystemLibraries/CNetlink": 20,
        "Sources/SystemLibraries/CProcess": 280, "Sources/SystemLibraries/CSeccomp": 20,
        "Sources/SystemLibraries/CTimer": 20, "Sources/SystemLibraries/CUPower": 20,
        "Sources/Testing/SessionHarnesses": 1720, "Sources/Testing/TransferTesting": 1660,
        "Sources/Tools/AriaRPC": 1820, "Sources/Tools/ManualPages": 160, "Sources/Tools/ProgramVersion": 20,
        "Sources/Tools/ToolSupport": 1360, "Sources/Tools/TransferDaemon": 2860, "Sources/Tools/transferctl": 9740,
        "Sources/Tools/transferlab": 2240, "Tests/Adapters/CommandRunnerTests": 140,
        "Tests/Adapters/CurlTransportTests": 80, "Tests/Adapters/GLibBridgeTests": 180,
        "Tests/Adapters/HTTPExecutorTests": 6080, "Tests/Adapters/HTTPSyntaxTests": 200,
        "Tests/Adapters/LinuxClockTests": 280, "Tests/Adapters/LinuxConditionsTests": 1940,
        "Tests/Adapters/LinuxKernelTests": 340, "Tests/Adapters/ProgramStarterTests": 120,
        "Tests/Adapters/SQLiteStoreTests": 2080, "Tests/Adapters/SessionFoldersTests": 140,
        "Tests/Adapters/TransferFilesTests": 380, "Tests/Adapters/TransferWorkerTests": 260,
        "Tests/Adapters/UploadSpoolTests": 280, "Tests/Adapters/WorkerExecutorTests": 780,
        "Tests/Client/BackgroundTransferEmbeddedTests": 700, "Tests/Client/BackgroundTransferTests": 1820,
        "Tests/Core/PolicyLabTests": 1600, "Tests/Core/SessionLogicTests": 1600,
        "Tests/Core/TransferPolicyTests": 3000, "Tests/Core/TransferQueueTests": 320,
        "Tests/Core/TransferSchedulingTests": 6420, "Tests/DBus/TransferBusClientTests": 20,
        "Tests/DBus/TransferBusProtocolTests": 580, "Tests/DBus/TransferBusServerTests": 960,
        "Tests/EndToEndTests/Conditions": 1460, "Tests/EndToEndTests/Daemon": 1560, "Tests/EndToEndTests/Get": 2100,
        "Tests/EndToEndTests/Guides": 260, "Tests/EndToEndTests/HostileCallers": 1620, "Tests/EndToEndTests/Lab": 280,
        "Tests/EndToEndTests/Packages": 140, "Tests/EndToEndTests/RPC": 860, "Tests/EndToEndTests/Run": 1140,
        "Tests/EndToEndTests/Samples": 300, "Tests/EndToEndTests/Sessions": 1340, "Tests/EndToEndTests/Support": 560,
        "Tests/Engine/TransferEngineTests": 2820, "Tests/Engine/TransferSessionsTests": 1480,
        "Tests/Fixtures/Buses": 2400, "Tests/Fixtures/Disks": 900, "Tests/Fixtures/Programs": 1180,
        "Tests/Fixtures/Servers": 2520, "Tests/Fixtures/StressTests": 2940, "Tests/Model/TransferModelTests": 400,
        "Tests/Testing/DiskFixtureTests": 220, "Tests/Testing/TransferTestingTests": 180,
        "Tests/TidyTests/Structure": 720, "Tests/TidyTests/Support": 80, "Tests/Tools/AriaRPCTests": 780,
        "Tests/Tools/ManualPagesTests": 80, "Tests/Tools/ProgramVersionTests": 40, "Tests/Tools/ToolSupportTests": 360,
        "Tests/Tools/TransferDaemonTests": 900, "Tests/Tools/TransferctlTests": 3040,
        "Tests/Tools/TransferlabTests": 760, "Tests/VirtualLaptop/modules": 180,
    ]

    /// Describes each folder that has more code lines than its budget, or far fewer, in a sentence.
    static func faults(in files: [SourceFile], budgets: [String: Int] = lines) -> [String] {
        let counts = counts(in: files)
        return Set(counts.keys).union(budgets.keys).sorted().compactMap { folder in
            let (count, budget) = (counts[folder] ?? 0, budgets[folder] ?? 0)
            if count > budget { return "\(folder): \(count) code lines; its budget is \(budget)" }
            return budget - count > slack ? "\(folder): \(count) code lines; lower its budget of \(budget)" : nil
        }
    }

    /// The code lines of each folder.
    static func counts(in files: [SourceFile]) -> [String: Int] {
        let code = files.filter { file in
            ["swift", "c", "h"].contains(file.kind) && ["Sources", "Tests"].contains(file.folders.first)
        }
        return Dictionary(grouping: code) { $0.folders.prefix(3).joined(separator: "/") }.mapValues { files in
            files.reduce(0) { $0 + count(in: $1.text) }
        }
    }

    /// The code lines of a text.
    static func count(in text: String) -> Int {
        text.split(separator: "\n").count { line in
            let words = line.drop { $0 == " " }
            return !words.isEmpty && !words.hasPrefix("//")
        }
    }
}
