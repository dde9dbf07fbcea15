extension SessionCheck {
  /// Notes a row; those of one table come in the order of their numbers, which is that of their recording.
  mutating func note(
    _ recording: Recording, recorded: Int, after last: inout Int, _ report: inout VerifyReport
  ) {
    if recorded <= last {
      report.damaged(recording.object, "It is not in the order of recording.")
    }
    last = recorded
    if recordings.updateValue(recording, forKey: recorded) != nil {
      report.damaged(recording.object, "Change \(recorded) recorded another row, too.")
    }
  }

  /// Checks that each attachment and invocation was recorded by the change that it names, that it holds the newest of its
  /// links, and that none is gone. Of a purged session only what its forks show is there.
  func checkRecordings(_ report: inout VerifyReport) {
    var newest: [Int: LinkLedger.Link] = [:]
    for link in ledger.links where isRecordings(link) {
      newest[link.position] = link
      if link.number == link.position, recordings[link.position] == nil, !isPurged {
        report.damaged(name, "What change \(link.number) recorded is gone.")
      }
    }
    for (recorded, recording) in recordings.sorted(by: { $0.key < $1.key }) {
      let first = ledger.link(recorded)
      if first?.operation != recording.first.rawValue || first?.position != recorded {
        report.damaged(recording.object, "Change \(recorded) did not record it.")
      }
      if let link = newest[recorded], link.number != recording.change, !mayLack(link) {
        report.damaged(
          recording.object, "It was put back to what it was before change \(link.number).")
      }
    }
    for (recorded, link) in newest.sorted(by: { $0.key < $1.key })
    where ledger.link(recorded)?.position != recorded {
      report.damaged(name, "Change \(link.number) is of what change \(recorded) did not record.")
    }
  }

  /// Tells whether a link is an attachment's or an invocation's.
  private func isRecordings(_ link: LinkLedger.Link) -> Bool {
    switch Chain.Operation(rawValue: link.operation) {
    case .attach, .bind, .settle, .caption, .invoke, .conclude, .erase, .take: true
    default: link.origin == .attachment || link.origin == .invocation
    }
  }
}
