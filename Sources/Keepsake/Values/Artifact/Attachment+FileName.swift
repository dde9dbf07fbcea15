extension Entry.Attachment {
  /// A readable file name for the artifact's bytes that is safe on any system and has the right extension.
  package var safeFileName: String {
    CopyName(
      fileName: fileName, label: label, declared: mediaType,
      sniffed: artifact?.sniffedType ?? .octetStream
    ).text
  }
}
