/// The answer of a hub to one offer.
package enum HubAnswer: Sendable {
  /// The hub has the commit, durably, as the version of this number. It may have had it before.
  case yes(version: Int64)
  /// The session's newest version is another than the one that the commit builds on; nil where the session is not there.
  case no(HubHead?)
  /// The hub lacks these artifacts. Whoever puts them and sends the same offer again is answered anew.
  case lacks([Artifact.ID])
  /// The session can't be read or written. Whether the commit is in is not known; the same offer may be sent again.
  case failed(KeepsakeError)
}
