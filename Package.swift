// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The manifest mirrors the architecture, with one helper function per layer, innermost first. Imports point inward
// only; Tests/TidyTests enforces the allow-list of every folder. Sources/README.md describes the layers.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target with values that describe transfers, tasks, sessions, and the machine. Makes no decisions.
func model(_ name: String) -> Target {
    .target(name: name, path: "Sources/Model/\(name)", swiftSettings: settings)
}

/// A target with values and pure functions only: no Foundation, clocks, files, or tasks. Rounding calls libm, which
/// other targets link because they import Glibc.
func core(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Core/\(name)", swiftSettings: settings,
        linkerSettings: [.linkedLibrary("m")])
}

/// A target of the engine layer: the actor that executes decisions, and its ports.
func engine(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Engine/\(name)", swiftSettings: settings)
}

/// A target that implements a port. Adapters import no other adapters, except for shared code such as kernel calls.
func adapter(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Adapters/\(name)", swiftSettings: settings)
}

/// A target of the D-Bus layer: protocol, server or client.
func bus(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/DBus/\(name)", swiftSettings: settings)
}

/// A library for app developers.
func client(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Client/\(name)", swiftSettings: settings)
}

/// A C library of the system, with its pkg-config name and the Debian packages that contain its headers.
func system(_ name: String, pkgConfig: String? = nil, apt packages: [String]) -> Target {
    .systemLibrary(
        name: name, path: "Sources/SystemLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt(packages)])
}

/// A target with a few lines of C for calls that Swift cannot make.
func c(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/SystemLibraries/\(name)")
}

/// A target with fakes, or with the contract tests that each port's implementations must pass.
func testing(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Testing/\(name)", swiftSettings: settings)
}

/// A target of the programs, which compose the layers. No other targets import all layers.
func tool(_ name: String, _ dependencies: [Target.Dependency], plugins: [Target.PluginUsage] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Tools/\(name)", swiftSettings: settings,
        plugins: plugins)
}

/// Returns the name of the target in the folder at a path: the last path component.
func target(at path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

/// A test target. The folders of test targets mirror Sources. The programs that tests start are not dependencies: each
/// build with tests builds them, and a dependency would also link them into the tests.
func tests(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: target(at: path), dependencies: dependencies, path: "Tests/\(path)", resources: resources,
        swiftSettings: settings)
}

/// A library shared by several test targets, such as a server or a fixture with real services.
func support(_ path: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(
        name: target(at: path), dependencies: dependencies, path: "Tests/Fixtures/\(path)", resources: resources,
        swiftSettings: settings)
}

/// A small program that tests start, for example to kill it or to run it in another environment.
func child(_ path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: target(at: path), dependencies: dependencies, path: "Tests/Fixtures/\(path)", swiftSettings: settings)
}

/// A part of this package whose packages only those resolve who enable it.
///
/// No trait enables another. SwiftPM passes all enabled traits to the compiler in an order that differs from build to
/// build, so with two of them, any change of a source file would compile everything again.
enum Part: String {
    case engine = "Engine"
    case lab = "Lab"
    case tools = "Tools"
    case rpc = "RPC"

    /// The traits that contain the part.
    var traits: Set<String> {
        switch self {
        case .engine, .lab: [rawValue, "Tools", "RPC"]
        case .tools: ["Tools", "RPC"]
        case .rpc: ["RPC"]
        }
    }
}

/// A product of another package that only a part of this package needs.
func product(_ name: String, of package: String, for part: Part) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: part.traits))
}

let argumentParser = product("ArgumentParser", of: "swift-argument-parser", for: .tools)

let flyingFox = product("FlyingFox", of: "FlyingFox", for: .rpc)

let flyingSocks = product("FlyingSocks", of: "FlyingFox", for: .rpc)

let grdb = product("GRDB", of: "GRDB.swift", for: .engine)

let sqlite = product("GRDBSQLite", of: "GRDB.swift", for: .engine)

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let metrics = product("Metrics", of: "swift-metrics", for: .engine)

let numerics = product("RealModule", of: "swift-numerics", for: .lab)

let rainbow = product("Rainbow", of: "Rainbow", for: .tools)

let serviceLifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle", for: .engine)

let toml = product("TOMLKit", of: "TOMLKit", for: .tools)

let unixSignals = product("UnixSignals", of: "swift-service-lifecycle", for: .engine)

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
        .library(name: "HTTPExecutor", targets: ["HTTPExecutor"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
        .library(name: "TransferWorker", targets: ["TransferWorker"]),
        .library(name: "WorkerExecutor", targets: ["WorkerExecutor"]),
        .library(name: "BackgroundTransfer", targets: ["BackgroundTransfer"]),
        .library(name: "BackgroundTransferEmbedded", targets: ["BackgroundTransferEmbedded"]),
        .library(name: "TransferTesting", targets: ["TransferTesting"]),
        .library(name: "SessionHarnesses", targets: ["SessionHarnesses"]),
        // One program, which the name of its file selects. Packages have one file, with hard links.
        .executable(name: "transferctl", targets: ["transferctl"]),
        .executable(name: "transferd", targets: ["transferctl"]),
        .executable(name: "transferlab", targets: ["transferctl"]),
        .executable(name: "transfer-worker", targets: ["transferctl"]),
        .executable(name: "transfer-rpc", targets: ["transferctl"]),
        // For tests only: interposes the C library calls of a program that loses its unsynced changes.
        .library(name: "FaultyDisk", type: .dynamic, targets: ["FaultyDisk"]),
    ],
    // A package that names no traits gets all parts, and so does this package itself.
    traits: [
        .trait(
            name: "Engine",
            description: "An engine in your own process: BackgroundTransferEmbedded, TransferEngine and its adapters."),
        .trait(name: "Lab", description: "Comparisons of policies on recorded days: PolicyLab."),
        .trait(
            name: "Tools",
            description: "Engine, Lab, and the programs: transferctl, transferd, transferlab, and transfer-worker."),
        .trait(name: "RPC", description: "Tools and the program transfer-rpc: aria2's JSON-RPC for the daemon."),
        .default(enabledTraits: ["RPC"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/onevcat/Rainbow", from: "4.2.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
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
                numerics,
            ]),
        // Engine
        engine("TransferEngine", ["TransferModel", "TransferPolicy", "TransferScheduling", logging, metrics]),
        engine(
            "TransferSessions",
            ["TransferModel", "TransferPolicy", "TransferScheduling", "SessionLogic", "TransferEngine", logging]),
        // System libraries. The flags of gio-2.0 contain -pthread, which SwiftPM rejects. glib-2.0 finds the same
        // headers.
        system("CCrypto", pkgConfig: "libcrypto", apt: ["libssl-dev"]),
        system("CGIO", pkgConfig: "glib-2.0", apt: ["libglib2.0-dev"]),
        system(
            "CNetlink", pkgConfig: "libnl-route-3.0", apt: ["libnl-route-3-dev", "libnl-genl-3-dev"]),
        system("CSeccomp", pkgConfig: "libseccomp", apt: ["libseccomp-dev"]),
        system("CTimer", apt: ["libc6-dev"]),
        system("CUPower", pkgConfig: "upower-glib", apt: ["libupower-glib-dev"]),
        c("CConfinement", ["CSeccomp"]),
        c("CLinuxFiles"),
        c("CProcess"),
        c("CCurl"),
        // Adapters
        adapter("GLibBridge", ["TransferModel", "CGIO"]),
        adapter("LinuxKernel", ["CProcess"]),
        adapter("LinuxClock", ["TransferModel", "TransferPolicy", "TransferEngine", "LinuxKernel", "CTimer"]),
        adapter(
            "LinuxConditions",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "GLibBridge", "LinuxKernel", "CGIO", "CUPower",
                "CNetlink",
            ]),
        adapter(
            "SQLiteStore",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "LinuxKernel",
                grdb, sqlite,
            ]),
        adapter(
            "SessionFolders",
            [
                "HTTPSyntax", "TransferModel", "TransferPolicy", "TransferEngine", "TransferSessions", "TransferFiles",
            ]),
        adapter("UploadSpool", ["TransferModel", "TransferSessions", "LinuxKernel", "CLinuxFiles"]),
        adapter("HTTPSyntax", ["TransferModel"]),
        adapter(
            "TransferFiles",
            [
                "HTTPSyntax", "TransferModel", "TransferEngine", "LinuxKernel", "CLinuxFiles", "CCrypto", logging,
            ]),
        adapter(
            "HTTPExecutor",
            [
                "HTTPSyntax", "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "LinuxKernel",
                logging,
            ]),
        adapter(
            "CurlTransport",
            ["HTTPSyntax", "HTTPExecutor", "TransferFiles", "TransferModel", "LinuxKernel", "CCurl"]),
        adapter("URLSessionTransport", ["HTTPExecutor", "TransferFiles", "TransferModel", "LinuxKernel"]),
        adapter(
            "CommandRunner", ["TransferModel", "TransferEngine", "LinuxKernel", "CProcess"]),
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
                "HTTPExecutor", "CurlTransport", "CConfinement",
            ]),
        // D-Bus
        bus("TransferBusProtocol", ["TransferModel", "GLibBridge"]),
        bus("TransferBusClient", ["TransferModel", "TransferEngine", "TransferBusProtocol", "GLibBridge"]),
        bus(
            "TransferBusServer",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "TransferBusProtocol", "GLibBridge", "LinuxKernel", "CProcess",
            ]),
        // Client
        client(
            "BackgroundTransfer",
            ["HTTPSyntax", "TransferModel", "TransferBusProtocol", "GLibBridge", "LinuxKernel", logging]),
        client(
            "BackgroundTransferEmbedded",
            [
                "BackgroundTransfer", "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine",
                "TransferSessions",
                "LinuxKernel", "LinuxClock", "LinuxConditions", "SQLiteStore", "HTTPExecutor", "URLSessionTransport",
                "SessionFolders",
                "UploadSpool", logging, metrics,
                serviceLifecycle,
            ]),
        // Samples
        .executableTarget(
            name: "podcasts", dependencies: ["BackgroundTransfer"], path: "Sources/Samples/podcasts",
            exclude: ["Info.plist", "org.example.Podcasts.service"], swiftSettings: settings),
        // Testing
        testing(
            "TransferTesting",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
            ]),
        testing(
            "SessionHarnesses",
            [
                "BackgroundTransfer", "BackgroundTransferEmbedded", "TransferTesting", "TransferModel",
                "TransferPolicy", "TransferEngine",
                "TransferSessions",
                "LinuxClock", "SQLiteStore", "HTTPExecutor", "URLSessionTransport", "TransferBusProtocol",
                "TransferBusClient",
                "TransferBusServer", "GLibBridge", logging,
            ]),
        // Tools
        tool(
            "ToolSupport",
            [
                "HTTPSyntax", "TransferModel", "TransferPolicy", "TransferEngine", "LinuxKernel", "LinuxClock",
                "LinuxConditions",
                "TransferFiles", "GLibBridge", logging,
                toml,
            ]),
        tool("ManualPages", [argumentParser]),
        // Writes the commit into the programs.
        .plugin(name: "CommitPlugin", capability: .buildTool()),
        tool("ProgramVersion", ["TransferModel"], plugins: ["CommitPlugin"]),
        tool(
            "TransferDaemon",
            [
                "ManualPages", "ProgramVersion", "ToolSupport", "TransferBusProtocol", "TransferBusClient",
                "TransferBusServer",
                "HTTPSyntax", "TransferModel",
                "TransferPolicy", "TransferScheduling", "TransferEngine",
                "LinuxKernel", "LinuxClock",
                "LinuxConditions", "SQLiteStore", "WorkerExecutor", "TransferFiles", "GLibBridge",
                "TransferSessions",
                "SessionFolders", "UploadSpool", "ProgramStarter", logging, metrics,
                argumentParser,
                serviceLifecycle,
                unixSignals,
            ]),
        // A server for strangers on this machine, apart from the daemon.
        tool(
            "AriaRPC",
            [
                "ProgramVersion", "ToolSupport", "TransferBusClient", "TransferModel", "TransferEngine", "LinuxKernel",
                "CConfinement", flyingFox, flyingSocks,
            ]),
        // Calls no C library, so its results are the same on every machine.
        tool(
            "transferlab",
            [
                "ManualPages", "ProgramVersion", "TransferModel", "TransferPolicy", "TransferScheduling", "PolicyLab",
                rainbow,
                argumentParser,
            ]),
        // The command line, and the entry point of all programs.
        .executableTarget(
            name: "transferctl",
            dependencies: [
                "ManualPages", "ProgramVersion", "ToolSupport", "TransferBusProtocol", "TransferBusClient",
                "TransferBusServer",
                "GLibBridge",
                "HTTPSyntax", "TransferModel", "TransferPolicy", "TransferScheduling",
                "TransferEngine",
                "LinuxClock", "LinuxConditions", "LinuxKernel", "PolicyLab",
                "SQLiteStore", "TransferFiles", "WorkerExecutor", "TransferWorker", "HTTPExecutor", "CurlTransport",
                "CommandRunner", "TransferDaemon", "transferlab",
                .target(name: "AriaRPC", condition: .when(traits: Part.rpc.traits)), rainbow,
                logging,
                argumentParser,
            ], path: "Sources/Tools/transferctl", swiftSettings: settings),
        // Tests
        support("Programs/ProcessFixtures", ["CProcess"]),
        support("Buses/ConditionFixtures", ["ProcessFixtures"], resources: [.copy("Resources")]),
        .systemLibrary(
            name: "CHostileServer", path: "Tests/Fixtures/Servers/CHostileServer", pkgConfig: "libssl",
            providers: [.apt(["libssl-dev"])]),
        support("Servers/HostileServer", ["CHostileServer"]),
        support(
            "Servers/HostileCases",
            ["TransferModel", "TransferPolicy", "TransferEngine", "HTTPExecutor", "HostileServer"]),
        support(
            "Servers/ExecutorHarness",
            ["TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "TransferTesting", "HostileServer"]),
        child(
            "StressTests/TransferStress",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "HTTPExecutor", "CurlTransport",
                "HostileServer",
                "ExecutorHarness", logging,
            ]),
        // A disk that can lose its power: a library that interposes C library calls, and a fixture that rolls back
        // changes.
        .target(name: "CDiskJournal", path: "Tests/Fixtures/Disks/CDiskJournal"),
        .target(name: "FaultyDisk", dependencies: ["CDiskJournal"], path: "Tests/Fixtures/Disks/FaultyDisk"),
        support("Disks/DiskFixture", ["TransferModel", "TransferPolicy", "CDiskJournal"]),
        child("Disks/DiskChild", []),
        child(
            "StressTests/DaemonStress",
            [
                "ToolSupport", "TransferModel", "TransferPolicy", "TransferEngine", "TransferBusProtocol",
                "TransferBusClient", "TransferBusServer", "GLibBridge",
                "SQLiteStore",
                "ProcessFixtures", "ConditionFixtures", "DiskFixture", "HostileServer",
            ]),
        child(
            "Buses/ConditionsProbe",
            ["LinuxConditions", "LinuxClock", "TransferEngine", "TransferModel", "TransferPolicy"]),
        child("Programs/SessionApp", ["BackgroundTransfer", "TransferModel"]),
        // Written for Apple's platforms: in its original language mode and with its warnings.
        .executableTarget(
            name: "ArticleApp", dependencies: ["BackgroundTransfer"], path: "Tests/Fixtures/Programs/ArticleApp",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The daemon of a later release: another version, and a migration that this release does not know.
        child("Programs/LaterDaemon", ["TransferDaemon", "TransferModel", "SQLiteStore"]),
        // Code that a malicious server might inject into a worker. Tries calls that the worker's confinement denies.
        child("Programs/HostileWorker", ["TransferWorker", "WorkerExecutor", "CHostileCalls"]),
        .target(name: "CHostileCalls", path: "Tests/Fixtures/Programs/CHostileCalls"),
        child("Disks/StoreChild", ["TransferModel", "TransferPolicy", "TransferEngine", "SQLiteStore"]),
        tests("Model/TransferModelTests", ["TransferModel", "TransferPolicy"]),
        support("StressTests/RandomRuns", []),
        tests("Core/TransferPolicyTests", ["TransferModel", "TransferPolicy", "RandomRuns"]),
        support(
            "StressTests/SchedulerPropertyRuns",
            ["TransferModel", "TransferPolicy", "TransferQueue", "TransferScheduling"]),
        child(
            "StressTests/SchedulerStress",
            ["TransferModel", "TransferPolicy", "TransferScheduling", "SchedulerPropertyRuns"]),
        tests("Core/TransferQueueTests", ["TransferModel", "TransferPolicy", "TransferQueue"]),
        tests(
            "Core/TransferSchedulingTests",
            [
                "TransferModel", "TransferPolicy", "TransferQueue", "TransferScheduling", "RandomRuns",
                "SchedulerPropertyRuns",
            ]),
        tests("Core/SessionLogicTests", ["TransferModel", "TransferPolicy", "SessionLogic", "RandomRuns"]),
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
        tests("Adapters/HTTPSyntaxTests", ["HTTPSyntax", "TransferModel", "TransferPolicy"]),
        tests("Adapters/LinuxKernelTests", ["LinuxKernel", "CProcess"]),
        tests(
            "Adapters/LinuxClockTests",
            ["TransferModel", "TransferPolicy", "TransferEngine", "LinuxClock", "TransferTesting", "CTimer"]),
        tests(
            "Adapters/LinuxConditionsTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "LinuxConditions",
                "TransferTesting",
                "GLibBridge", "ProcessFixtures",
            ], resources: [.copy("Recordings")]),
        tests(
            "Adapters/SQLiteStoreTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "TransferSessions",
                "SQLiteStore",
                "ProcessFixtures", "TransferTesting", grdb,
            ], resources: [.copy("Samples")]),
        tests("Adapters/CurlTransportTests", ["CurlTransport", "HTTPExecutor", "TransferModel"]),
        tests(
            "Adapters/HTTPExecutorTests",
            [
                "HTTPSyntax", "TransferModel", "TransferPolicy", "TransferEngine", "HTTPExecutor", "TransferTesting",
                "HostileServer", "LinuxKernel", "TransferFiles",
                "ExecutorHarness", "HostileCases", "CurlTransport", "URLSessionTransport", "CLinuxFiles",
            ]),
        tests(
            "Adapters/TransferFilesTests",
            [
                "HTTPSyntax", "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "TransferTesting",
                "HostileServer",
                "ExecutorHarness",
            ]),
        support(
            "Programs/WorkerHarness",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor", "HostileServer",
                "ExecutorHarness", logging,
            ]),
        tests(
            "Adapters/WorkerExecutorTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "TransferTesting",
                "HostileServer", "ExecutorHarness", "HostileCases", "WorkerHarness", logging,
            ]),
        tests(
            "Adapters/TransferWorkerTests",
            [
                "TransferModel", "TransferPolicy", "TransferEngine", "TransferFiles", "WorkerExecutor",
                "TransferWorker",
                "ProcessFixtures", "TransferTesting", "HostileServer", "ExecutorHarness", "WorkerHarness", logging,
            ]),
        tests(
            "Client/BackgroundTransferEmbeddedTests",
            [
                "BackgroundTransferEmbedded", "SessionHarnesses", "SQLiteStore", "TransferTesting",
                logging,
                .product(name: "InMemoryLogging", package: "swift-log"),
                product("MetricsTestKit", of: "swift-metrics", for: .engine),
            ]),
        tests(
            "Client/BackgroundTransferTests",
            ["BackgroundTransfer", "TransferModel", "TransferPolicy", "TransferSessions", "HostileServer"]),
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
        tests("Adapters/CommandRunnerTests", ["CommandRunner", "LinuxKernel"]),
        tests("Adapters/ProgramStarterTests", ["ProgramStarter", "TransferModel", "TransferSessions"]),
        tests(
            "Tools/TransferDaemonTests",
            [
                "ToolSupport", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "TransferModel",
                "TransferPolicy", "TransferScheduling", "TransferEngine", "SQLiteStore",
                "TransferSessions", "TransferTesting", "TransferDaemon", "TransferFiles", "UploadSpool", logging,
                metrics,
            ]),
        tests("Tools/ProgramVersionTests", ["ProgramVersion", "TransferModel"]),
        tests(
            "Tools/ManualPagesTests",
            ["ManualPages", argumentParser]),
        tests(
            "Tools/AriaRPCTests", ["AriaRPC", "TransferModel", "TransferEngine", flyingFox]),
        tests(
            "Tools/ToolSupportTests",
            [
                "ToolSupport", "LinuxKernel", "TransferModel", "TransferPolicy", "TransferEngine", "LinuxConditions",
                "HTTPExecutor",
            ]),
        tests(
            "Tools/TransferctlTests",
            [
                "HTTPSyntax", "ManualPages", "ToolSupport", "TransferBusProtocol", "TransferBusClient",
                "TransferBusServer",
                "GLibBridge",
                "TransferModel", "TransferPolicy", "TransferScheduling",
                "TransferEngine", "TransferFiles",
                "PolicyLab", "transferctl", "CommandRunner", "LinuxClock", "LinuxKernel", "ProcessFixtures",
                argumentParser,
            ]),
        tests(
            "Tools/TransferlabTests",
            [
                "ManualPages", "PolicyLab", "TransferModel", "TransferScheduling", "transferlab", "ProcessFixtures",
                argumentParser,
            ]),
        // Hostile callers: a bus connection on a plain socket, a program that makes given calls, and a fuzzer.
        support("Buses/RawBus", []),
        child("Buses/HostileCaller", ["RawBus"]),
        child(
            "Buses/BusFuzz",
            ["RawBus", "ConditionFixtures", "TransferModel", "TransferPolicy"]),
        child(
            "Buses/BusStress",
            [
                "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "GLibBridge", "TransferModel",
                "TransferPolicy", "TransferEngine",
            ]),
        tests(
            "EndToEndTests",
            [
                "HTTPSyntax", "ProcessFixtures", "ConditionFixtures", "DiskFixture", "HostileServer",
                "BackgroundTransfer",
                "SessionHarnesses",
                "TransferTesting", "TransferBusProtocol", "TransferBusClient", "TransferBusServer", "GLibBridge",
                "TransferModel", "TransferPolicy", grdb, "RawBus",
            ]),
        tests(
            "Adapters/SessionFoldersTests",
            ["SessionFolders", "TransferModel", "TransferPolicy", "TransferEngine", "TransferSessions"]),
        tests("Adapters/UploadSpoolTests", ["UploadSpool", "TransferModel", "TransferSessions"]),
        tests(
            "Testing/DiskFixtureTests",
            [
                "TransferModel", "TransferPolicy", "TransferScheduling", "TransferEngine", "SQLiteStore",
                "ProcessFixtures", "DiskFixture",
            ]),
        tests("TidyTests", []),
    ]
)

// `SCOPE=core swift test` builds and tests a part of the package: the test targets in these folders and what they need.
// Targets outside of a change's layer take most of the time of a build.
let scopes = [
    "core": ["Tests/Model", "Tests/Core"],
    "engine": ["Tests/Engine", "Tests/Testing/TransferTestingTests", "Tests/Adapters/SQLiteStoreTests"],
    "transfers": [
        "Tests/Adapters/HTTPExecutorTests", "Tests/Adapters/TransferFilesTests", "Tests/Adapters/Worker",
        "Tests/Adapters/TransferWorkerTests",
    ],
    "bus": ["Tests/DBus", "Tests/Adapters/GLibBridgeTests", "Tests/Adapters/LinuxConditionsTests"],
    "tools": ["Tests/Tools"],
    "tidy": ["Tests/TidyTests"],
]

/// Removes all targets, products, and packages that the tests in the folders do not need.
func limit(_ package: Package, to folders: [String]) {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var packages: Set<String> = []
    func need(_ target: Target) {
        guard needed.insert(target.name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): targets[name].map(need)
            case .productItem(_, let name, _, _): name.map { _ = packages.insert($0) }
            @unknown default: break
            }
        }
        for case .plugin(let name, _) in target.plugins ?? [] { targets[name].map(need) }
    }
    for target in package.targets where folders.contains(where: { target.path?.hasPrefix($0) ?? false }) {
        need(target)
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let names = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !needed.isSuperset(of: names)
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/\($0)") }
    }
}

if let scope = Context.environment["SCOPE"], !scope.isEmpty {
    guard let folders = scopes[scope] else {
        fatalError("SCOPE=\(scope) is unknown; use one of \(scopes.keys.sorted().joined(separator: ", "))")
    }
    limit(package, to: folders)
}
