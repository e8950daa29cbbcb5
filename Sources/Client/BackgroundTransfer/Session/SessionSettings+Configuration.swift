// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension BackgroundSessionConfiguration {
    /// The settings to send to the service that runs the session.
    package var settings: SessionSettings {
        var settings = SessionSettings(identifier: identifier)
        settings.isDiscretionary = isDiscretionary
        settings.sendsLaunchEvents = sendsLaunchEvents
        settings.requestTimeout = requestTimeout
        settings.resourceTimeout = resourceTimeout
        settings.allowsCellularAccess = allowsCellularAccess
        settings.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        settings.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        settings.additionalHeaders = additionalHeaders
        settings.maximumConnectionsPerHost = maximumConnectionsPerHost
        settings.sharedContainerIdentifier = sharedContainerIdentifier
        settings.allowsInsecureRedirect = allowsInsecureRedirect
        settings.answersBearerChallenges = answersBearerChallenges
        return settings
    }
}
