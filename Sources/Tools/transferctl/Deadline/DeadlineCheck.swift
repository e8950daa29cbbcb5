// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import LinuxConditions
import SQLiteStore
import ToolSupport
import TransferFiles
import TransferModel
import TransferPolicy
import TransferScheduling
import URLSessionExecutor

/// The check of deadlines when transfers are submitted.
///
/// The check asks servers for sizes, but only where the transfers themselves may use the network now. It refuses a
/// deadline that certainly cannot be met, and warns about one that probably cannot.
struct DeadlineCheck {
    private let timing: TimingOptions
    private let request: RequestOptions
    private let limits: [String]
    private let proxy: String?
    private let caFile: String?
    private let testOptions: TestOptions
    private let alarm: LinuxAlarm
    private let localTime: LocalTimeRules
    /// The largest number of servers' files that are asked for their size.
    static let mostProbes = 20

    /// - Parameter limitRate: The limit that the command line states besides that on each transfer.
    init(
        _ command: some TransferOptions, _ alarm: LinuxAlarm, limitRate: String?, proxy: String? = nil,
        caFile: String? = nil
    ) {
        limits = [limitRate, command.request.limitRateEach].compactMap(\.self)
        (self.proxy, self.caFile) = (proxy, caFile)
        (timing, request, testOptions) = (command.timing, command.request, command.testOptions)
        self.alarm = alarm
        localTime = LocalTimeRules(current: alarm.now().wall)
    }

    /// Checks the transfers of a plan, and adds the sizes that servers report.
    ///
    /// - Parameter asksServers: Whether servers may be asked for sizes.
    /// - Returns: The warnings about deadlines that probably cannot be met.
    /// - Throws: `UsageError` if a deadline certainly cannot be met and `--force` is not set.
    func complete(_ plan: inout GetPlan, asksServers: Bool = true) async throws -> [String] {
        guard timing.conditions.by != nil else { return [] }
        let conditions = try await complete(&plan.items, assuming: plan.assumptions, asksServers: asksServers)
        guard let conditions else { return [] }
        let measured = await Self.statistics(in: plan.stateDirectory)?.history.throughput
            .rate(on: conditions.throughputKey)
        return plan.items.compactMap { warning(about: $0, measured: measured) }
    }

    /// Checks transfers, and adds the sizes that servers report.
    ///
    /// - Parameters:
    ///   - items: The transfers.
    ///   - assumptions: The conditions that the user assumes.
    ///   - asksServers: Whether servers may be asked for sizes.
    /// - Returns: The machine's conditions; `nil` if no transfer has a deadline.
    /// - Throws: `UsageError` if a deadline certainly cannot be met and `--force` is not set.
    @discardableResult
    func complete(
        _ items: inout [GetPlan.Item], assuming assumptions: Assumptions? = nil, asksServers: Bool = true
    ) async throws -> Conditions? {
        guard timing.conditions.by != nil else { return nil }
        for item in items { try refuse(item) }
        guard let conditions = try await currentConditions(assuming: assumptions) else { return nil }
        let asking = items.indices.filter { mayAsk(items[$0].specification, under: conditions) }.prefix(Self.mostProbes)
        guard asksServers, !asking.isEmpty, let executor = makeExecutor() else { return conditions }
        let sizes = await withTaskGroup(of: (Int, Int64?).self) { group in
            for index in asking {
                let specification = items[index].specification
                group.addTask { (index, await executor.size(of: specification)) }
            }
            return await group.reduce(into: [Int: Int64]()) { $0[$1.0] = $1.1 }
        }
        await executor.shutdown()
        for (index, size) in sizes {
            items[index].specification.traits.expectedBytesToReceive = size
            try refuse(items[index])
        }
        return conditions
    }

    // MARK: Faults

    private func refuse(_ item: GetPlan.Item) throws {
        guard !timing.conditions.force, let fault = fault(of: item, estimate: nil) else { return }
        throw UsageError("\(DeadlineText.sentence(of: fault, localTime: localTime)); --force submits it anyway")
    }

    private func warning(about item: GetPlan.Item, measured: Int64?) -> String? {
        let traits = item.specification.traits
        let bytes = Self.bytes(of: traits)
        var estimate = TransferEstimate(
            bytes: bytes ?? TransferEstimate.assumedBytes, sizeBasis: bytes == nil ? .assumed : .expected,
            rate: measured ?? TransferEstimate.assumedRate, rateBasis: measured == nil ? .assumed : .connection)
        if let limit, limit < estimate.rate { (estimate.rate, estimate.rateBasis) = (limit, .limit) }
        guard let fault = fault(of: item, estimate: estimate) else { return nil }
        let name = RedactedURL.text(of: item.specification.url)
        return "transferctl: \(name): \(DeadlineText.sentence(of: fault, localTime: localTime))"
    }

    private func fault(of item: GetPlan.Item, estimate: TransferEstimate?) -> DeadlineFault? {
        let traits = item.specification.traits
        return DeadlineFault.find(
            in: traits.constraints, bytes: Self.bytes(of: traits), limit: limit, estimate: estimate, at: alarm.now(),
            localTime: localTime)
    }

    private static func bytes(of traits: TransferTraits) -> Int64? {
        traits.expectedBytesToReceive ?? traits.expectedBytesToSend
    }

    /// The lowest limit on the rate that the command line states.
    private var limit: Int64? {
        limits.compactMap { try? GetPlan.rate($0, option: "limit-rate") }.min()
    }

    // MARK: Sizes

    /// Returns whether the transfer itself may use the network now, so that its server may be asked for the size.
    private func mayAsk(_ specification: TransferSpecification, under conditions: Conditions) -> Bool {
        let (traits, now) = (specification.traits, alarm.now())
        guard specification.upload == nil, traits.expectedBytesToReceive == nil else { return false }
        let constraints = traits.constraints
        var verdict =
            constraints.notBefore?.verdict(at: now, submitted: now.wall) ?? .run(relyingOn: [], reevaluateAt: nil)
        if let price = constraints.price { verdict = verdict.and(price.verdict(at: now, under: conditions)) }
        if let window = constraints.window { verdict = verdict.and(window.verdict(at: now, localTime: localTime)) }
        if !traits.isLoopback {
            let isFree = constraints.metered == .allowed || UnknownMeteredRule().isMetered(conditions) == nil
            guard conditions.network.value == .full, isFree else { return false }
            verdict = verdict.and(constraints.linkKinds.verdict(under: conditions))
                .and(constraints.connection.verdict(under: conditions))
        }
        if case .run = verdict { return true }
        return false
    }

    private func currentConditions(assuming assumptions: Assumptions?) async throws -> Conditions? {
        let source = try AdapterFactory.conditions(
            sysfsRoot: testOptions.sysfsRoot ?? "/sys", alarm: alarm, delaysSleep: false)
        var first: Conditions?
        for await conditions in source.snapshots() {
            first = conditions
            break
        }
        await source.stop()
        guard let assumptions else { return first }
        return first.map { assumptions.applied(to: $0) }
    }

    /// Returns an executor in this process; `nil` if it cannot be created. The size is then unknown.
    private func makeExecutor() -> URLSessionExecutor? {
        var configuration = URLSessionExecutorConfiguration(partialDirectory: NSTemporaryDirectory())
        if let userAgent = request.userAgent { configuration.userAgent = userAgent }
        (configuration.proxy, configuration.caFile) = (proxy, caFile)
        return try? URLSessionExecutor(configuration: configuration)
    }

    /// Returns the statistics of earlier runs of `get`; `nil` if there are none.
    static func statistics(in stateDirectory: String) async -> PersistedStatistics? {
        let path = stateDirectory + "/get/queue.sqlite"
        guard FileManager.default.fileExists(atPath: path),
            let store = try? SQLiteStore(SQLiteStoreConfiguration(path: path, scope: .keys([])))
        else { return nil }
        let statistics = try? await store.statistics()
        await store.close()
        return statistics
    }
}
