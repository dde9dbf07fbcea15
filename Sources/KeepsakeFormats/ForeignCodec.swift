import Keepsake

/// A codec of a format that is not Keepsake's own. It never touches the store: it hands over records.
protocol ForeignCodec: Codec {
  /// The members of a record that tell it from other records.
  ///
  /// A file whose records begin with those of a stored file continues that file. So the identity leaves out what the
  /// foreign program writes anew with every file, and nothing else.
  static var identity: RecordIdentity { get }
}
