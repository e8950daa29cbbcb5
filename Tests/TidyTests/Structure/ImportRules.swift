// SPDX-License-Identifier: Apache-2.0

/// Rules for imports: imports point inward only, and each library has a single owner.
enum ImportRules {
    /// The modules of the toolchain that the edges may import. Core and Engine are not edges.
    static let toolchain: Set = ["Dispatch", "Foundation", "Glibc", "Synchronization"]
    /// The interfaces to logging and to metrics, which are exceptions to the single owner.
    static let everywhereButCore: Set = ["Logging", "Metrics"]

    /// The modules that each folder may import. A folder without an entry fails, so that its imports are considered.
    static let allowed: [String: Set<String>] = {
        let core: Set = ["TransferModel", "TransferPolicy", "TransferScheduling"]
        let edge = core.union(toolchain).union(everywhereButCore).union(["TransferEngine"])
        return [
            "Sources/Model/TransferModel": [],
            "Sources/Core/TransferPolicy": ["TransferModel"],
            "Sources/Core/TransferQueue": ["TransferModel", "TransferPolicy"],
            "Sources/Core/TransferScheduling": ["TransferModel", "TransferPolicy", "TransferQueue"],
            "Sources/Core/SessionLogic": ["TransferModel"],
            // RealModule provides logarithms and similar pure functions.
            "Sources/Core/PolicyLab": core.union(["RealModule"]),
            "Sources/Engine/TransferEngine": core.union(everywhereButCore).union(["Synchronization"]),
            "Sources/Engine/TransferSessions": core.union(everywhereButCore).union([
                "SessionLogic", "TransferEngine",
            ]),
            "Sources/Adapters/GLibBridge": edge.union(["CGIO"]),
            "Sources/Adapters/HTTPSyntax": toolchain.union(["TransferModel"]),
            "Sources/Adapters/LinuxKernel": ["CProcess", "Dispatch", "Foundation", "Glibc", "Synchronization"],
            "Sources/Adapters/LinuxClock": edge.union(["CTimer", "LinuxKernel"]),
            "Sources/Adapters/LinuxConditions": edge.union(["GLibBridge", "LinuxKernel", "CGIO", "CUPower", "CNetlink"]
            ),
            "Sources/Adapters/SQLiteStore": edge.union(["GRDB", "GRDBSQLite", "LinuxKernel", "TransferSessions"]),
            "Sources/Adapters/SessionFolders": edge.union(["HTTPSyntax", "TransferFiles", "TransferSessions"]),
            "Sources/Adapters/UploadSpool": edge.union(["CLinuxFiles", "LinuxKernel", "TransferSessions"]),
            "Sources/Adapters/TransferFiles": edge.union(["CCrypto", "CLinuxFiles", "HTTPSyntax", "LinuxKernel"]),
            "Sources/Adapters/HTTPExecutor": edge.union([
                "CLinuxFiles", "HTTPSyntax", "LinuxKernel", "TransferFiles",
            ]),
            "Sources/Adapters/CurlTransport": edge.union([
                "CCurl", "HTTPExecutor", "HTTPSyntax", "LinuxKernel", "TransferFiles",
            ]),
            "Sources/Adapters/URLSessionTransport": edge.union([
                "FoundationNetworking", "HTTPExecutor", "LinuxKernel", "TransferFiles",
            ]),
            // The worker process runs the executor elsewhere. Its parent handles the files, but no network traffic.
            "Sources/Adapters/WorkerExecutor": edge.union(["CConfinement", "CProcess", "LinuxKernel", "TransferFiles"]),
            "Sources/Adapters/TransferWorker": edge.union([
                "CConfinement", "CurlTransport", "HTTPExecutor", "TransferFiles", "WorkerExecutor",
            ]),
            "Sources/Adapters/CommandRunner": edge.union(["CProcess", "LinuxKernel"]),
            "Sources/Adapters/ProgramStarter": edge.union(["LinuxKernel", "TransferSessions"]),
            "Sources/DBus/TransferBusProtocol": toolchain.union(["GLibBridge", "TransferModel"]),
            // The client implements a service whose protocol belongs to the engine.
            "Sources/DBus/TransferBusClient": toolchain.union([
                "GLibBridge", "TransferBusProtocol", "TransferEngine", "TransferModel",
            ]),
            "Sources/DBus/TransferBusServer": edge.union([
                "CProcess", "GLibBridge", "LinuxKernel", "TransferBusProtocol", "TransferSessions",
            ]),
            // The client uses the bus and needs no engine.
            "Sources/Client/BackgroundTransfer": toolchain.union([
                "FoundationNetworking", "GLibBridge", "HTTPSyntax", "LinuxKernel", "Logging", "TransferBusProtocol",
                "TransferModel",
            ]),
            // The embedded client brings its own engine.
            "Sources/Client/BackgroundTransferEmbedded": edge.union([
                "BackgroundTransfer", "LinuxClock", "LinuxConditions", "LinuxKernel", "SQLiteStore", "ServiceLifecycle",
                "SessionFolders",
                "TransferSessions", "HTTPExecutor", "URLSessionTransport", "UploadSpool",
            ]),
        ]
    }()

    /// The folders whose files may import every module of the project: fakes and composition roots.
    static let free: Set = [
        "Sources/Samples/podcasts", "Sources/Testing/TransferTesting", "Sources/Testing/SessionHarnesses",
        "Sources/Tools/AriaRPC", "Sources/Tools/ManualPages", "Sources/Tools/ProgramVersion",
        "Sources/Tools/ToolSupport", "Sources/Tools/TransferDaemon", "Sources/Tools/transferctl",
        "Sources/Tools/transferlab",
    ]

    /// The folders of C code, which import no modules.
    static let systemLibraries: Set = [
        "CConfinement", "CCrypto", "CCurl", "CGIO", "CLinuxFiles", "CNetlink", "CProcess", "CSeccomp", "CTimer",
        "CUPower",
    ]

    /// The folders that own a library. No other folder imports it. GLib has two owners: the bridge and the adapter
    /// above it.
    static let owners: [String: Set<String>] = [
        "ArgumentParser": [
            "Sources/Tools/ManualPages", "Sources/Tools/TransferDaemon", "Sources/Tools/transferctl",
            "Sources/Tools/transferlab",
        ],
        "CConfinement": [
            "Sources/Adapters/TransferWorker", "Sources/Adapters/WorkerExecutor", "Sources/Tools/AriaRPC",
        ],
        "CCurl": ["Sources/Adapters/CurlTransport"],
        "CGIO": ["Sources/Adapters/GLibBridge", "Sources/Adapters/LinuxConditions"],
        "CLinuxFiles": [
            "Sources/Adapters/TransferFiles", "Sources/Adapters/UploadSpool", "Sources/Tools/AriaRPC",
        ],
        "CNetlink": ["Sources/Adapters/LinuxConditions"],
        "CProcess": [
            "Sources/Adapters/CommandRunner", "Sources/Adapters/LinuxKernel", "Sources/Adapters/WorkerExecutor",
            "Sources/DBus/TransferBusServer",
        ],
        "CSeccomp": [],
        "CTimer": ["Sources/Adapters/LinuxClock"],
        "CUPower": ["Sources/Adapters/LinuxConditions"],
        "FlyingFox": ["Sources/Tools/AriaRPC"],
        "FlyingSocks": ["Sources/Tools/AriaRPC"],
        "FoundationNetworking": [
            "Sources/Adapters/URLSessionTransport", "Sources/Client/BackgroundTransfer",
            "Sources/Testing/SessionHarnesses",
        ],
        "FoundationXML": ["Sources/Samples/podcasts"],
        "GRDB": ["Sources/Adapters/SQLiteStore"],
        "GRDBSQLite": ["Sources/Adapters/SQLiteStore"],
        "ServiceLifecycle": ["Sources/Client/BackgroundTransferEmbedded", "Sources/Tools/TransferDaemon"],
        "UnixSignals": ["Sources/Tools/TransferDaemon"],
        "TOMLKit": ["Sources/Tools/ToolSupport"],
        "Rainbow": ["Sources/Tools/transferctl", "Sources/Tools/transferlab"],
        "RealModule": ["Sources/Core/PolicyLab"],
    ]

    /// Finds the top-level names of the modules that `text` imports.
    static func imports(in text: String) -> [String] {
        let declaration =
            #/^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?(\w+)/#
        return SwiftText.code(of: text).split(whereSeparator: { $0.isNewline || $0 == ";" }).compactMap { line in
            let start = line.drop(while: \.isWhitespace)
            return start.prefixMatch(of: declaration).map { String($0.1) }
        }
    }

    /// Finds the targets on which a target of a manifest depends, directly or indirectly. An app that depends on the
    /// target builds and links all of them.
    static func reach(of target: String, in manifest: String) -> Set<String> {
        let declaration =
            #/\b(?:(?:model|core|engine|bus|adapter|client|c|system|tool)\(\s*|target\(\s*name:\s*)"([\w-]+)",\s*(?:dependencies:\s*)?\[([^\]]*)\]/#
        let direct = Dictionary(
            manifest.matches(of: declaration).map { match in
                (String(match.1), Set(match.2.matches(of: #/"(\w+)"/#).map { String($0.1) }))
            }, uniquingKeysWith: { $0.union($1) })
        var (found, open): (Set<String>, Set<String>) = ([], [target])
        while let next = open.popFirst() {
            open.formUnion((direct[next] ?? []).subtracting(found))
            found.formUnion(direct[next] ?? [])
        }
        return found
    }

    /// Describes each import that breaks the rules, in a sentence.
    static func violations(in files: [SourceFile]) -> [String] {
        let ours = Set((Array(allowed.keys) + free).compactMap { $0.split(separator: "/").last.map(String.init) })
        return files.filter { $0.kind == "swift" || $0.kind == "c" || $0.kind == "h" }.flatMap { file in
            guard file.folders.count >= 3 else { return ["\(file.path): is not in the folder of a target"] }
            let folder = file.folders.prefix(3).joined(separator: "/")
            if file.folders[1] == "SystemLibraries" {
                return systemLibraries.contains(file.folders[2]) ? [] : ["\(folder): no rule for this folder"]
            }
            guard free.contains(folder) || allowed[folder] != nil else { return ["\(folder): no rule for this folder"] }
            return imports(in: file.text).compactMap { violation(of: $0, from: folder, ours: ours, in: file) }
        }
    }

    private static func violation(of module: String, from folder: String, ours: Set<String>, in file: SourceFile)
        -> String?
    {
        if let owners = owners[module], !owners.contains(folder) {
            return "\(file.path): imports \(module), which belongs to \(owners.sorted().joined(separator: " and "))"
        }
        if let allowed = allowed[folder] {
            return allowed.contains(module) ? nil : "\(file.path): \(folder) must not import \(module)"
        }
        let isKnown =
            owners[module] != nil || ours.contains(module) || toolchain.contains(module)
            || everywhereButCore.contains(module)
        return isKnown ? nil : "\(file.path): imports \(module), which has no owner"
    }
}
