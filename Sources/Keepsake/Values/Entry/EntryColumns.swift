import KeepsakeFiles

/// The columns of an entry that its digest covers.
struct EntryColumns {
  var uuid: [UInt8]
  var kind: Int
  var created: Int64
  var status: Int
  var visibility: Int
  var turn: Int?
  var key: String?
  var lane: String?
  var author: String?
  var model: String?
  var call: Entry.Attachment.CallReference?
  /// The time when the last earlier content became a revision; nil for an entry that was never revised.
  var revised: Int64?

  init(
    _ entry: Entry, turn: Int?, call: Entry.Attachment.CallReference?, revised: Int64? = nil
  ) {
    uuid = entry.id.bytes
    kind = entry.kind.code
    created = EntryTime.stored(entry.created)
    status = entry.status.code
    visibility = entry.visibility.code
    self.turn = turn
    key = entry.key
    lane = entry.lane
    author = entry.author
    model = entry.model
    self.call = call
    self.revised = revised
  }

  /// Computes the digest that the entry's link covers.
  func digest(bodyDigest: SHA256Digest) -> SHA256Digest {
    var canonical = Canonical("keepsake.entry.1")
    canonical.add(bytes: uuid)
    canonical.add(kind)
    canonical.add(created)
    canonical.add(status)
    canonical.add(visibility)
    canonical.add(turn)
    canonical.add(key)
    canonical.add(lane)
    canonical.add(author)
    canonical.add(model)
    canonical.add(call?.position)
    canonical.add(call?.ordinal)
    canonical.add(bodyDigest)
    canonical.add(revised)
    return canonical.digest
  }
}
