/// The links in the rows of an entry that changed after it was appended.
struct EntryHistory {
  struct Revision {
    let number: Int
    /// The number of the change that replaced the revision.
    let until: Int
    let link: LinkLedger.Link
  }

  var revisions: [Revision] = []
  /// The link in the entry's row; nil if it is the link of the append.
  var newest: (change: Int, operation: Int)?
  /// The columns before and after the earlier digest in the digest of an erased entry; nil for other entries.
  var erased: (columns: Canonical, revised: Int64?)?
}
