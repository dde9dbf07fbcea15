extension Entry.Attachment {
  /// A name for a file with its bytes: safe on any system, readable, and with the extension of what it is.
  package var safeFileName: String {
    CopyName(
      fileName: fileName, label: label, declared: mediaType,
      sniffed: artifact?.sniffedType ?? .octetStream
    ).text
  }
}
