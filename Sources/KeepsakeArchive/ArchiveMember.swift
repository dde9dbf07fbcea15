/// A member of an archive as the archive describes it, which must not be trusted.
package struct ArchiveMember: Sendable {
  /// The kind of member.
  package enum Kind: Sendable, Hashable {
    case file, folder, link, other
  }

  /// The name with its folders, in which invalid UTF-8 is replaced. It is empty for the content of a compressed file.
  package let name: String
  package let kind: Kind
  /// The unpacked size in bytes according to the archive; nil where it states none.
  package let size: Int64?
  /// The reason why the member must not be read; nil where it may be.
  package let objection: ArchiveError?
}
