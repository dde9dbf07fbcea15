import Keepsake

/// A codec of a format whose files are one JSON document with the entries in an array.
protocol DocumentCodec: FileCodec {
  /// A version of the format.
  associatedtype Form: Equatable & Sendable
  associatedtype Encoder: RecordEncoder

  /// The forms that may be written under a name, the preferred one first.
  ///
  /// A file that was imported in another of these forms keeps its form, as long as that loses nothing.
  static func forms(for name: String) -> [Form]

  /// The form of a file; nil for a form that entries can't be added to.
  /// - Parameters:
  ///   - envelope: The JSON around the file's entries.
  ///   - record: The beginning of the first record; empty where there is none.
  static func form(of envelope: JSON, first record: HeadSketch) -> Form?

  /// The text before the entries of a new file.
  static func prefix(_ form: Form) -> String

  /// Begins to write entries.
  /// - Parameters:
  ///   - form: The form of the file.
  ///   - sheet: The imported file that entries are added to; nil for a new file.
  static func encoder(_ form: Form, beside sheet: SourceSheet?) -> Encoder
}

extension DocumentCodec {
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    try await write(session, as: name, options, onOneLine: false, into: output)
  }

  /// - Parameter isOnOneLine: Whether the document has to stand on one line of a file, without line breaks.
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, onOneLine isOnOneLine: Bool,
    into output: ExportOutput
  ) async throws -> Losses {
    let take = output.take
    let forms = forms(for: name)
    guard let wanted = forms.first else {
      preconditionFailure("The codec '\(format.name)' writes nothing for '\(name)'.")
    }
    let hasBytes = options.artifacts != ExportOptions.Artifacts.none
    if let resumption = options.resumption {
      let resumed = try await session.resume(resumption)
      var document = DocumentWriter<Self>(session, form: wanted, hasBytes: hasBytes, take)
      return try await document.write(resumed)
    }
    // The bytes are inside of the imported file, so it can't be used where they are left out.
    if hasBytes, let sheet = try session.sourceSheet(format: format.name),
      try !isOnOneLine || !sheet.hasLineBreaks
    {
      let envelope = try ImportedEnvelope(sheet)
      let form = envelope.flatMap { Self.form(of: $0.json, first: $0.first) }
      // A file of an unknown version is written as it stood, unless a version was asked for.
      if sheet.isWhole, form.map(forms.contains) ?? (name == format.name) {
        for piece in sheet.pieces { try sheet.replay(piece, into: take) }
        return sheet.lossesOfWhole
      }
      if let envelope, let form, forms.contains(form) {
        var isKept = form == wanted
        if !isKept {
          isKept = try await saysAsMuch(session, beside: sheet, as: form, as: wanted)
        }
        if isKept {
          var document = DocumentWriter<Self>(session, form: form, beside: sheet, take)
          return try await document.write(over: sheet, envelope)
        }
      }
    }
    var document = DocumentWriter<Self>(session, form: wanted, hasBytes: hasBytes, take)
    return try await document.write()
  }

  /// Returns whether writing the new entries in the file's own form loses nothing that the wanted form would keep.
  private static func saysAsMuch(
    _ session: Session, beside sheet: SourceSheet, as form: Form, as wanted: Form
  ) async throws -> Bool {
    let said = Set(sheet.pieces.filter(\.isCurrent).compactMap(\.positions).flatMap(\.self))
    var old = (encoder: encoder(form, beside: sheet), losses: Losses())
    var new = (encoder: encoder(wanted, beside: nil), losses: Losses())
    for try await entry in session.entries where !said.contains(entry.position ?? -1) {
      _ = old.encoder.records(with: OutgoingEntry(entry), &old.losses)
      _ = new.encoder.records(with: OutgoingEntry(entry), &new.losses)
      if old.losses != new.losses { return false }
    }
    return true
  }
}

extension SourceSheet {
  /// The losses where the imported file is written as it stood.
  var lossesOfWhole: Losses {
    var losses = Losses()
    losses.add(.loose, filesBeside)
    return losses
  }

  fileprivate var hasLineBreaks: Bool {
    get throws {
      var found = false
      for piece in pieces where !found && piece.isCurrent {
        try replay(piece) { if $0.contains(0x0A) { found = true } }
      }
      return found
    }
  }
}
