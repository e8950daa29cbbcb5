// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Measures the programs as a user runs them, and the deciding code alone, side by side with their peers in one run. The
// programs are built from the package above; the deciding code is linked from it, and for what lies between a condition
// and the network the engine with its adapters, too.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "background-transfer", path: "..")],
    targets: [
        .executableTarget(
            name: "figures",
            dependencies: [
                "CAllocations", "CProcesses", "CRawStore", "CxxQueue",
                .product(name: "LinuxClock", package: "background-transfer"),
                .product(name: "PolicyLab", package: "background-transfer"),
                .product(name: "SQLiteStore", package: "background-transfer"),
                .product(name: "TransferEngine", package: "background-transfer"),
                .product(name: "TransferModel", package: "background-transfer"),
                .product(name: "TransferPolicy", package: "background-transfer"),
                .product(name: "TransferScheduling", package: "background-transfer"),
                .product(name: "TransferTesting", package: "background-transfer"),
                .product(name: "TransferWorker", package: "background-transfer"),
                .product(name: "URLSessionExecutor", package: "background-transfer"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        // A bare event loop in C++, behind a C header.
        .target(name: "CxxQueue"),
        // Counts allocations: its malloc stands before the C library's.
        .target(name: "CAllocations"),
        // The store's tables, written and read by SQLite's own calls.
        .target(name: "CRawStore", linkerSettings: [.linkedLibrary("sqlite3")]),
        // One call that Swift cannot make.
        .target(name: "CProcesses"),
    ],
    cxxLanguageStandard: .cxx20
)
