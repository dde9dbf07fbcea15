/// Something in an archive, as the archive tells of it: none of it can be trusted.
public struct ArchiveMember: Sendable {
  public enum Kind: Sendable, Hashable {
    case file, folder, link, other
  }

  /// Its name, folders and all; bytes that are no UTF-8 are replaced. Empty for what a compressed file holds.
  public let name: String
  public let kind: Kind
  /// How many bytes it unpacks to, where that is told.
  public let size: Int64?
  /// Why it is not to be read; nil where it may be.
  public let objection: ArchiveError?
}
