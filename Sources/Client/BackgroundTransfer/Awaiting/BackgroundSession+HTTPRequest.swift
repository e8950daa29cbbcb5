// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import FoundationNetworking
public import HTTPTypes
internal import HTTPTypesFoundation

/// Downloads by requests of swift-http-types.
extension BackgroundSession {
    /// Downloads a file, or joins the transfer with the name, or returns its finished file at once.
    ///
    /// Behaves as ``file(for:id:options:)-(URLRequest,_,_)``.
    ///
    /// - Parameters:
    ///   - request: The request, with an http or https URL.
    ///   - id: The name of the transfer and of its file, unique in the session.
    ///   - options: The options of a new transfer.
    /// - Returns: The file. It belongs to the program and stays until ``remove(id:)`` removes it.
    /// - Throws: `TransferError`.
    public func file(
        for request: HTTPRequest, id: String, options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> URL {
        try await file(for: URLRequest(converting: request), id: id, options: options)
    }

    /// Starts or joins the transfer with a name, without awaiting its end.
    ///
    /// - Parameters:
    ///   - request: The request, with an http or https URL.
    ///   - id: The name of the transfer and of its file, unique in the session.
    ///   - options: The options of a new transfer.
    /// - Returns: The transfer, after the service has saved it.
    /// - Throws: `TransferError`.
    public func transfer(
        for request: HTTPRequest, id: String, options: TransferOptions = TransferOptions()
    ) async throws(TransferError) -> NamedTransfer {
        try await transfer(for: URLRequest(converting: request), id: id, options: options)
    }
}

extension URLRequest {
    init(converting request: HTTPRequest) throws(TransferError) {
        guard let converted = URLRequest(httpRequest: request) else {
            throw TransferError(
                code: .badRequest,
                message: "The request has no valid URL. It needs a scheme, an authority, and a path.")
        }
        self = converted
    }
}
