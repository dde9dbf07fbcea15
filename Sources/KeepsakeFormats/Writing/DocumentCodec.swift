import Keepsake

/// A codec of a format whose files are one JSON document with the entries in an array.
protocol DocumentCodec: ForeignCodec {
  /// A version of the format.
  associatedtype Form: Equatable & Sendable

  /// The forms that may be written for a name, the one that is wanted first: a file that was imported in another of them
  /// is kept in its own as long as that loses nothing.
  static func forms(for name: String) -> [Form]

  /// The form of a file, by what stands around its entries; nil where it is none that can be added to.
  static func form(of envelope: JSON) -> Form?

  /// What stands before and behind the entries of a new file.
  static func envelope(_ form: Form) -> (prefix: String, suffix: String)

  /// An entry as it stands in a file of a form; nil where it is left out, which is noted among the losses.
  static func record(_ entry: OutgoingEntry, as form: Form, _ losses: inout Losses)
    -> OutgoingRecord?
}

extension DocumentCodec {
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
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
    // The imported file has the bytes in it.
    if hasBytes, let sheet = try session.sourceSheet(format: format.name),
      let envelope = try ImportedEnvelope(sheet)
    {
      let form = form(of: envelope.json)
      // A version that is not known here is given back where none was asked for.
      if sheet.isWhole, form.map(forms.contains) ?? (name == format.name) {
        for piece in sheet.pieces { try sheet.replay(piece, into: take) }
        return Losses()
      }
      if let form, forms.contains(form) {
        var isKept = form == wanted
        if !isKept {
          isKept = try await saysAsMuch(session, beside: sheet, as: form, as: wanted)
        }
        if isKept {
          var document = DocumentWriter<Self>(session, form: form, take)
          return try await document.write(over: sheet, envelope)
        }
      }
    }
    var document = DocumentWriter<Self>(session, form: wanted, hasBytes: hasBytes, take)
    return try await document.write()
  }

  /// Whether what a file does not say yet loses nothing in its form that another form would keep.
  private static func saysAsMuch(
    _ session: Session, beside sheet: SourceSheet, as form: Form, as wanted: Form
  ) async throws -> Bool {
    let said = Set(sheet.pieces.filter(\.isCurrent).compactMap(\.positions).flatMap(\.self))
    for try await entry in session.entries where !said.contains(entry.position ?? -1) {
      var old = Losses()
      var new = Losses()
      _ = record(OutgoingEntry(entry), as: form, &old)
      _ = record(OutgoingEntry(entry), as: wanted, &new)
      if old != new { return false }
    }
    return true
  }
}
