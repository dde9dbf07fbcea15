/// What the rows of one entry say of its links; kept of entries that are not as they were appended.
struct EntryHistory {
  struct Revision {
    let number: Int
    /// The change that replaced it.
    let until: Int
    let link: LinkLedger.Link
  }

  var revisions: [Revision] = []
  /// The link that the entry's row holds, where it is not the one that it was appended with.
  var newest: (change: Int, operation: Int)?
  /// Of an erased entry: what comes into its digest before and after the digest that it had until then.
  var erased: (columns: Canonical, revised: Int64?)?
}
