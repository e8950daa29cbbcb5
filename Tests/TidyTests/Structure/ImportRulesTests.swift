// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Imports point inward only")
struct ImportRulesTests {
    @Test("the source tree follows the rules")
    func tree() {
        let sources = SourceTree.files.filter { $0.path.hasPrefix("Sources/") }
        #expect(sources.count > 30)
        #expect(ImportRules.violations(in: sources) == [])
    }

    @Test("an app that uses the bus links no engine, scheduler, policy, or store")
    func client() throws {
        let manifest = try #require(SourceTree.files.first { $0.path == "Package.swift" }).text
        let reach = ImportRules.reach(of: "BackgroundTransfer", in: manifest)
        #expect(reach.isSuperset(of: ["TransferModel", "TransferBusProtocol", "GLibBridge"]))
        let within: Set = [
            "HTTPSyntax", "TransferModel", "TransferBusProtocol", "GLibBridge", "LinuxKernel", "CGIO", "CProcess",
        ]
        #expect(reach.subtracting(within) == [])
    }

    @Test("the daemon and the worker executor link no networking code")
    func daemon() throws {
        let manifest = try #require(SourceTree.files.first { $0.path == "Package.swift" }).text
        for target in ["TransferDaemon", "WorkerExecutor"] {
            let reach = ImportRules.reach(of: target, in: manifest)
            #expect(reach.isSuperset(of: ["TransferFiles", "TransferEngine"]))
            #expect(
                reach.isDisjoint(with: ["HTTPExecutor", "CCurl", "TransferWorker", "AriaRPC"]),
                "\(target)")
        }
    }

    @Test(
        "a forbidden import is found",
        arguments: [
            ("Sources/Core/TransferPolicy/A.swift", "import Foundation"),
            ("Sources/Core/TransferPolicy/A.swift", "internal import Dispatch"),
            ("Sources/Core/TransferPolicy/A.swift", "import Glibc"),
            ("Sources/Core/TransferPolicy/A.swift", "import Synchronization"),
            ("Sources/Core/TransferPolicy/A.swift", "import Logging"),
            ("Sources/Core/TransferPolicy/A.swift", "import TransferScheduling"),
            ("Sources/Core/TransferScheduling/A.swift", "public import struct Foundation.Date"),
            ("Sources/Core/TransferScheduling/Deep/A.swift", "let a = 1; import TransferEngine"),
            ("Sources/Engine/TransferEngine/A.swift", "package import Foundation"),
            ("Sources/Engine/TransferEngine/Ports/A.swift", "@preconcurrency import SQLiteStore"),
            ("Sources/Adapters/SQLiteStore/A.swift", "import LinuxConditions"),
            ("Sources/Adapters/SQLiteStore/A.swift", "import GLibBridge"),
            ("Sources/Adapters/SQLiteStore/A.swift", "@testable import HTTPExecutor"),
            ("Sources/Adapters/LinuxConditions/A.swift", "  import FoundationNetworking"),
            ("Sources/Testing/TransferTesting/A.swift", "import GRDB"),
            ("Sources/Tools/transferctl/A.swift", "@_exported import enum GRDB.DatabaseError"),
            ("Sources/Tools/transferctl/A.swift", "import Alamofire"),
            ("Sources/Adapters/New/A.swift", ""),
            ("Sources/SystemLibraries/CNew/shim.h", ""),
            ("Sources/A.swift", ""),
        ])
    func violation(_ sample: (path: String, text: String)) {
        let file = SourceFile(path: sample.path, text: "// one\n\(sample.text)\n")
        #expect(ImportRules.violations(in: [file]).count == 1)
    }
}
