/// A page of the keys of a bucket, in the order of their bytes.
package struct ObjectListing: Sendable, Hashable {
  /// An object in a listing.
  package struct Entry: Sendable, Hashable {
    /// The whole key.
    package let key: String
    /// The size of the object.
    package let size: Int64
    /// The tag of the object's bytes, where the server gives one.
    package let etag: String?
    /// The seconds since 1970 when the object was written, where the server says them.
    package let written: Int64?
  }

  /// The objects.
  package let entries: [Entry]
  /// What the keys have in common that were left out because of a delimiter.
  package let prefixes: [String]
  /// The mark with which the server goes on; nil at the end.
  package let next: String?
}
