// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TransferEngine

/// Asks a server to delete an abandoned upload.
///
/// The removal is best effort and ends within a short time. Its result changes nothing, and servers eventually delete
/// abandoned uploads themselves.
actor UploadRemoval: ExchangeReceiver {
    nonisolated var consumer: ConsumerExecutor { environment.consumer }
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
    /// The longest duration of the whole removal in seconds. Shorter than the time a worker is given to exit.
    private static let longest = 3

    private let environment: ExecutorEnvironment
    private let onEnd: @Sendable () -> Void
    private var machine: UploadStateMachine
    private var exchange: Exchange?
    private var isEnded = false

    init(plan: UploadPlan, environment: ExecutorEnvironment, onEnd: @escaping @Sendable () -> Void) {
        self.environment = environment
        self.onEnd = onEnd
        machine = UploadStateMachine(plan: plan)
    }

    func begin() {
        perform(machine.beginRemoval())
        consumer.run(afterSeconds: Self.longest) { [weak self] in
            self?.assumeIsolated { $0.perform($0.machine.interrupt(.stopped)) }
        }
    }

    func exchange(_ exchange: Exchange, received head: ResponseHead) {
        if exchange === self.exchange { perform(machine.received(head)) }
    }

    func exchange(_ exchange: Exchange, received bytes: Data) {
        guard exchange === self.exchange else { return }
        if case .instead(let directives) = machine.received(bytes: bytes.count) { perform(directives) }
    }

    func exchange(_ exchange: Exchange, endedWith error: TransportError?) {
        guard exchange === self.exchange else { return }
        self.exchange = nil
        perform(
            machine.ended(
                error.map { TransportFailure.failure(code: $0.code, text: $0.text, host: machine.host) }))
    }

    private func perform(_ directives: [UploadStateMachine.Directive]) {
        for directive in directives {
            switch directive {
            case .send(let request):
                exchange = environment.send(
                    request, timeoutSeconds: Self.longest * 2,
                    check: environment.addressCheck(of: request.url, machine.request), to: self)
            case .cancelRequest: if let exchange { environment.cancel(exchange) }
            // The upload is never continued, and nothing reads the server's response.
            case .remember, .restart, .keepResponse: break
            case .end:
                guard !isEnded else { return }
                isEnded = true
                onEnd()
            }
        }
    }
}
