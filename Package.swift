// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The package reads as the architecture: one helper per layer, innermost first. Imports point inward only;
// Tests/TidyTests holds every folder to its allow-list. Sources/README.md tells what each layer is for.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Values that describe transfers, tasks, sessions and the machine, without decisions.
func model(_ name: String) -> Target {
    .target(name: name, path: "Sources/Model/\(name)", swiftSettings: settings)
}

/// Values and pure functions: no Foundation, no clock, no file, no task.
func core(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Core/\(name)", swiftSettings: settings)
}

/// The one actor that carries decisions out, and the ports it needs.
func engine(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Engine/\(name)", swiftSettings: settings)
}

/// One port each, never importing one another (the GLib bridge and the kernel's calls excepted).
func adapter(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Adapters/\(name)", swiftSettings: settings)
}

/// A target of the D-Bus layer: protocol, server or client.
func bus(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/DBus/\(name)", swiftSettings: settings)
}

/// What app developers import.
func client(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Client/\(name)", swiftSettings: settings)
}

/// A C library of the system, by its pkg-config name and the Debian package that brings its headers.
func system(_ name: String, pkgConfig: String? = nil, apt packages: [String]) -> Target {
    .systemLibrary(
        name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt(packages)])
}

/// A few lines of C of our own where Swift cannot reach.
func c(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/SystemLibraries/\(name)")
}

/// Fakes and the contract that each port's implementations must pass.
func testing(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Testing/\(name)", swiftSettings: settings)
}

/// Composition roots: the only places where layers meet.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Sources/Tools/\(name)", swiftSettings: settings)
}

/// The last part of a path: each target lies in a folder of its own name.
func target(at path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

/// Test targets mirror Sources.
func tests(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: target(at: path), dependencies: dependencies, path: "Tests/\(path)", resources: resources,
        swiftSettings: settings)
}

/// What several test targets share: servers and rigs of real services.
func support(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(
        name: target(at: path), dependencies: dependencies, path: "Tests/Fixtures/\(path)", resources: resources,
        swiftSettings: settings)
}

/// Small programs that tests start, to kill them or to run them elsewhere.
func child(_ path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: target(at: path), dependencies: dependencies, path: "Tests/Fixtures/\(path)", swiftSettings: settings)
}

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")

let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")

let package = Package(
    name: "background-transfer",
    products: [
        .library(name: "TransferModel", targets: ["TransferModel"]),
        .library(name: "TransferPolicy", targets: ["TransferPolicy"]),
        .library(name: "TransferScheduling", targets: ["TransferScheduling"]),
        .library(name: "PolicyLab", targets: ["PolicyLab"]),
        .library(name: "TransferEngine", targets: ["TransferEngine"]),
        .library(name: "LinuxConditions", targets: ["LinuxConditions"]),
        .library(name: "LinuxClock", targets: ["LinuxClock"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "URLSessionExecutor", targets: ["URLSessionExecutor"]),
        .library(name: "TransferWorker", targets: ["TransferWorker"]),
        .library(name: "WorkerExecutor", targets: ["WorkerExecutor"]),
        .library(name: "BackgroundTransfer", targets: ["BackgroundTransfer"]),
        .library(name: "BackgroundTransferEmbedded", targets: ["BackgroundTransferEmbedded"]),
        .library(name: "TransferTesting", targets: ["TransferTesting"]),
        .library(name: "SessionHarnesses", targets: ["SessionHarnesses"]),
        .executable(name: "transferctl", targets: ["transferctl"]),
        .executable(name: "transferd", targets: ["transferd"]),
        .executable(name: "transferlab", targets: ["transferlab"]),
        .executable(name: "transfer-worker", targets: ["transfer-worker"]),
        // Of tests only: put before the C library's calls of a program that is to lose what it did not sync.
        .library(name: "FaultyDisk", type: .dynamic, targets: ["FaultyDisk"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
        // Of tests only: no product depends on these four.
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Model
        model("TransferModel"),
        // Core
        core("TransferPolicy", ["TransferModel"]),
        core("TransferQueue", ["TransferModel", "TransferPolicy"]),
        core("TransferScheduling", ["TransferModel", "TransferPolicy", "TransferQueue"]),
        core("SessionLogic", ["TransferModel"]),
        core(
            "PolicyLab",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling",
                .product(name: "RealModule", package: "swift-numerics"),
            ]),
        // Engine
        engine("TransferEngine", ["TransferModel", "TransferPolicy", "TransferScheduling", metrics]),
        engine(
            "TransferSessions",
            ["TransferModel", "TransferPolicy", "TransferScheduling", "SessionLogic", "TransferEngine", logging]),
        // System libraries. gio-2.0's own flags hold -pthread, which SwiftPM refuses; glib-2.0's find the same headers.
        system("CGIO", pkgConfig: "glib-2.0", apt: ["libglib2.0-dev"]),
        system(
            "CNetlink", pkgConfig: "libnl-route-3.0", apt: ["libnl-route-3-dev", "libnl-genl-3-dev"]),
        system("CSeccomp", pkgConfig: "libseccomp", apt: ["libseccomp-dev"]),
        system("CTimer", apt: ["libc6-dev"]),
        system("CUPower", pkgConfig: "upower-glib", apt: ["libupower-glib-dev"]),
        c("CConfinement", ["CSeccomp"]),
        c("CLinuxFiles"),
        c("CProcess"),
        c("URLSessionRepair"),
        // Adapters
        adapter("GLibBridge", ["CGIO"]),
        adapter("LinuxKernel", ["CProcess"]),
        adapter("LinuxClock", ["TransferModel", "TransferPolicy", "TransferEngine", "LinuxKernel", "CTimer"]),
        adapter(
            "LinuxConditions",
            ["TransferModel", "TransferPolicy", "TransferEngine", "GLibBridge", "CGIO", "CUPower", "CNetlink"]),
        adapter(
            "SQLiteStore",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions", grdb,
                sqlite,
            ]),
        adapter("SessionFolders", ["TransferModel", "TransferPolicy", "TransferEngine", "TransferSessions"]),
        adapter("UploadSpool", ["TransferModel", "TransferSessions", "CLinuxFiles"]),
        adapter(
            "TransferFiles",
            [
                "TransferModel", "TransferEngine", "LinuxKernel", "CLinuxFiles", logging,
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        adapter(
            "URLSessionExecutor",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "LinuxKernel", "URLSessionRepair",
                logging,
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        adapter("ProgramStarter", ["TransferModel", "TransferSessions", "LinuxKernel", logging]),
        adapter(
            "WorkerExecutor",
            [
                "TransferModel", "TransferEngine", "TransferFiles", "LinuxKernel", "CConfinement", "CProcess", logging,
            ]),
        adapter(
            "TransferWorker",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "URLSessionExecutor", "CConfinement",
            ]),
        // D-Bus
        bus("TransferBusProtocol", ["TransferModel", "GLibBridge"]),
        bus("TransferBusClient", ["TransferModel", "TransferEngine", "TransferBusProtocol", "GLibBridge"]),
        bus(
            "TransferBusServer",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "TransferBusProtocol", "GLibBridge", "CProcess",
            ]),
        // Client
        client("BackgroundTransfer", ["TransferModel", "TransferBusProtocol", "GLibBridge", logging]),
        client(
            "BackgroundTransferEmbedded",
            [
                "BackgroundTransfer", "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine",
                "TransferSessions",
                "LinuxClock", "LinuxConditions", "SQLiteStore", "URLSessionExecutor", "SessionFolders", "UploadSpool",
                logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Samples
        .executableTarget(
            name: "batch-downloader", dependencies: ["BackgroundTransfer"], path: "Sources/Samples/batch-downloader",
            swiftSettings: settings),
        // Testing
        testing(
            "TransferTesting",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "BackgroundTransfer",
            ]),
        testing(
            "SessionHarnesses",
            [
                "BackgroundTransferEmbedded", "TransferTesting", "TransferModel", "TransferPolicy", "TransferEngine",
                "TransferSessions",
                "LinuxClock", "SQLiteStore", "URLSessionExecutor", "TransferBusProtocol", "TransferBusClient",
                "TransferBusServer", "GLibBridge", logging,
            ]),
        // Tools
        .target(
            name: "ToolSupport",
            dependencies: [
                "TransferModel", "TransferPolicy", "TransferEngine", "LinuxClock", "LinuxConditions",
                "TransferFiles", logging,
                "TOMLKit",
            ], path: "Sources/Tools/ToolSupport", swiftSettings: settings),
        tool(
            "transferd",
            [
                "ToolSupport", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "TransferModel",
                "TransferPolicy", "TransferScheduling", "TransferEngine",
                "LinuxKernel", "LinuxClock",
                "LinuxConditions", "SQLiteStore", "WorkerExecutor", "TransferFiles", "GLibBridge",
                "TransferSessions",
                "SessionFolders", "UploadSpool", "ProgramStarter", logging, metrics,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        tool(
            "transferctl",
            [
                "ToolSupport", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "GLibBridge",
                "TransferModel", "TransferPolicy", "TransferScheduling",
                "TransferEngine",
                "LinuxClock", "LinuxConditions", "LinuxKernel", "PolicyLab",
                "SQLiteStore", "TransferFiles", "WorkerExecutor", "TransferWorker", "URLSessionExecutor", "Rainbow",
                logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tool("transfer-worker", ["TransferWorker"]),
        // It links no C library: what it decides by is the same everywhere.
        tool(
            "transferlab",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "PolicyLab", "Rainbow",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Tests
        support("Buses/ConditionRigs", [], resources: [.copy("Resources")]),
        support(
            "Servers/HostileServer",
            [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        support(
            "Servers/HostileCases",
            ["TransferModel", "TransferPolicy", "TransferEngine", "URLSessionExecutor", "HostileServer"]),
        support(
            "Servers/ExecutorTrials",
            ["TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "TransferTesting", "HostileServer"]),
        child(
            "Soaks/TransferSoak",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "URLSessionExecutor",
                "HostileServer",
                "ExecutorTrials", "transfer-worker", logging,
            ]),
        // A disk that loses its power: a library that is put before the C library's calls, and who rolls changes back.
        .target(name: "CDiskJournal", path: "Tests/Fixtures/Disks/CDiskJournal"),
        .target(name: "FaultyDisk", dependencies: ["CDiskJournal"], path: "Tests/Fixtures/Disks/FaultyDisk"),
        support("Disks/DiskRig", ["TransferModel", "TransferPolicy", "CDiskJournal"]),
        child("Disks/DiskChild", []),
        child(
            "Soaks/DaemonSoak",
            [
                "ToolSupport", "TransferModel", "TransferPolicy", "TransferEngine", "TransferBusProtocol",
                "TransferBusClient", "TransferBusServer", "GLibBridge",
                "SQLiteStore",
                "ConditionRigs", "DiskRig", "HostileServer", "transferd", "transfer-worker",
            ]),
        child(
            "Buses/ConditionsProbe",
            ["LinuxConditions", "LinuxClock", "TransferEngine", "TransferModel", "TransferPolicy"]),
        child("Programs/SessionApp", ["BackgroundTransfer", "TransferModel"]),
        // As its authors wrote it for Apple's systems: in the language mode of their time, and with its warnings.
        .executableTarget(
            name: "TutorialApp", dependencies: ["BackgroundTransfer"], path: "Tests/Fixtures/Programs/TutorialApp",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // Code as a server might bring it into a worker: tries what the worker's confinement denies.
        child("Programs/HostileWorker", ["TransferWorker", "WorkerExecutor", "CHostileCalls"]),
        .target(name: "CHostileCalls", path: "Tests/Fixtures/Programs/CHostileCalls"),
        child("Disks/StoreChild", ["TransferModel", "TransferPolicy", "TransferEngine", "SQLiteStore"]),
        tests("Model/TransferModelTests", ["TransferModel", "TransferPolicy"]),
        tests("Core/TransferPolicyTests", ["TransferModel", "TransferPolicy"]),
        support("Soaks/SchedulerTrials", ["TransferModel", "TransferPolicy", "TransferQueue", "TransferScheduling"]),
        child("Soaks/SchedulerSoak", ["TransferModel", "TransferPolicy", "SchedulerTrials"]),
        tests("Core/TransferQueueTests", ["TransferModel", "TransferPolicy", "TransferQueue"]),
        tests(
            "Core/TransferSchedulingTests",
            ["TransferModel", "TransferPolicy", "TransferQueue", "TransferScheduling", "SchedulerTrials"]),
        tests("Core/SessionLogicTests", ["TransferModel", "TransferPolicy", "SessionLogic"]),
        tests(
            "Core/PolicyLabTests", ["TransferModel", "TransferPolicy", "TransferScheduling", "PolicyLab"],
            resources: [.copy("Samples")]),
        tests(
            "Engine/TransferEngineTests",
            ["TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferTesting", metrics]),
        tests(
            "Engine/TransferSessionsTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "TransferTesting",
                logging,
            ]),
        tests(
            "Testing/TransferTestingTests",
            ["TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferTesting"]),
        tests("Adapters/LinuxKernelTests", ["LinuxKernel"]),
        tests(
            "Adapters/LinuxClockTests",
            ["TransferModel", "TransferPolicy", "TransferEngine", "LinuxClock", "TransferTesting", "CTimer"]),
        tests(
            "Adapters/LinuxConditionsTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "LinuxConditions",
                "TransferTesting",
                "GLibBridge",
            ], resources: [.copy("Recordings")]),
        tests(
            "Adapters/SQLiteStoreTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "SQLiteStore",
                "TransferTesting",
                "StoreChild", grdb,
            ]),
        tests(
            "Adapters/URLSessionExecutorTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "URLSessionExecutor", "TransferTesting",
                "HostileServer", "LinuxKernel", "TransferFiles",
                "ExecutorTrials", "HostileCases", "URLSessionRepair", "CLinuxFiles",
            ]),
        tests(
            "Adapters/TransferFilesTests",
            ["TransferModel", "TransferEngine", "TransferFiles", "TransferTesting", "HostileServer", "ExecutorTrials"]),
        support(
            "Programs/WorkerBench",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor", "HostileServer",
                "ExecutorTrials", "transfer-worker", logging,
            ]),
        tests(
            "Adapters/WorkerExecutorTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "TransferTesting",
                "HostileServer", "ExecutorTrials", "HostileCases", "WorkerBench", "transfer-worker", logging,
            ]),
        tests(
            "Adapters/TransferWorkerTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "TransferWorker",
                "TransferTesting", "HostileServer", "ExecutorTrials", "WorkerBench", "HostileWorker",
                "transfer-worker", logging,
            ]),
        tests("Client/BackgroundTransferEmbeddedTests", ["SessionHarnesses", "TransferTesting"]),
        tests(
            "Client/BackgroundTransferTests",
            ["BackgroundTransfer", "TransferModel", "TransferPolicy", "TransferSessions"]),
        tests("Adapters/GLibBridgeTests", ["GLibBridge"]),
        tests(
            "DBus/TransferBusProtocolTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferSessions", "TransferBusProtocol",
                "GLibBridge",
            ]),
        tests("DBus/TransferBusClientTests", ["TransferBusProtocol", "TransferBusClient"]),
        tests(
            "DBus/TransferBusServerTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferSessions", "TransferBusProtocol",
                "TransferBusServer", "GLibBridge",
            ]),
        tests("Adapters/ProgramStarterTests", ["ProgramStarter", "TransferModel", "TransferSessions"]),
        tests(
            "Tools/TransferdTests",
            [
                "ToolSupport", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "TransferModel",
                "TransferPolicy", "TransferScheduling", "TransferEngine",
                "TransferSessions", "TransferTesting", "transferd", "TransferFiles", "UploadSpool", logging,
                metrics,
            ]),
        tests(
            "Tools/ToolSupportTests",
            ["ToolSupport", "TransferModel", "TransferPolicy", "TransferEngine", "URLSessionExecutor"]),
        tests(
            "Tools/TransferctlTests",
            [
                "ToolSupport", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "GLibBridge",
                "TransferModel", "TransferPolicy", "TransferScheduling",
                "TransferEngine",
                "PolicyLab", "transferctl",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        tests(
            "Tools/TransferlabTests",
            ["PolicyLab", "transferlab", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // Hostile callers: a bus connection on a bare socket, a program that is told what to call, and a fuzzer.
        support("Buses/RawBus", []),
        child("Buses/HostileCaller", ["RawBus"]),
        child(
            "Buses/BusFuzz",
            ["RawBus", "ConditionRigs", "TransferModel", "TransferPolicy", "transferd", "transfer-worker"]),
        child(
            "Buses/BusSoak",
            [
                "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "GLibBridge", "TransferModel",
                "TransferPolicy", "TransferEngine",
            ]),
        tests(
            "EndToEndTests",
            [
                "transferctl", "transferd", "transfer-worker", "ConditionRigs", "ConditionsProbe", "DiskRig",
                "HostileServer",
                "transferlab", "BusSoak", "SessionApp", "TutorialApp", "BackgroundTransfer", "SessionHarnesses",
                "TransferTesting", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "GLibBridge",
                "TransferModel", "TransferPolicy", grdb, "RawBus",
                "HostileCaller",
                "BusFuzz",
            ]),
        tests(
            "Adapters/SessionFoldersTests",
            ["SessionFolders", "TransferModel", "TransferPolicy", "TransferEngine", "TransferSessions"]),
        tests("Adapters/UploadSpoolTests", ["UploadSpool", "TransferModel", "TransferSessions"]),
        tests("Testing/HostileServerTests", ["HostileServer"]),
        tests(
            "Testing/DiskRigTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "SQLiteStore", "DiskRig",
                "DiskChild",
                "StoreChild",
            ]),
        tests("TidyTests", []),
    ]
)
