import KeepsakeFiles

/// Tells whether what is ours of a session can be shown by a fork of what both pasts have.
struct ForkCheck {
  private let ours: SessionRecords
  private let common: Int
  /// The number of entries that both pasts have.
  private let entries: Int

  init(_ ours: SessionRecords, common: Int, entries: Int) {
    self.ours = ours
    self.common = common
    self.entries = entries
  }

  /// A fork shows it if we changed nothing of what both have, and if it needs nothing that a fork does not share.
  var isPossible: Bool {
    !changesShared && !hasLooseAttachment && !needsSharedRun && !needsSharedFile
  }

  private var changesShared: Bool {
    ours.past.links(after: common).contains { link in
      guard Chain.Operation(rawValue: link.operation) != nil else { return true }
      return link.isOfEntry ? link.position < entries : link.position <= common
    }
  }

  /// An attachment that has no entry yet shows in no fork, and its output may come.
  private var hasLooseAttachment: Bool {
    ours[.attachment].contains { $0.recorded <= common && $0["position"] == .null }
  }

  private var needsSharedRun: Bool {
    let shared = Set(ours[.invocation].filter { $0.recorded <= common }.map { $0["id"] })
    return ours[.attachment].contains {
      $0.recorded > common && shared.contains($0["invocation"])
    }
  }

  private var needsSharedFile: Bool {
    ours[.source].contains {
      $0.recorded > common && $0.int("base.import") ?? .max <= common
    }
  }
}
