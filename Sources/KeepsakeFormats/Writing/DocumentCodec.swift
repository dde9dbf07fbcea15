import Keepsake

/// A codec of a format whose files are one JSON document with the entries in an array.
protocol DocumentCodec: FileCodec {
  /// A version of the format.
  associatedtype Form: Equatable & Sendable
  associatedtype Encoder: RecordEncoder

  /// The forms that may be written for a name, the one that is wanted first: a file that was imported in another of them
  /// is kept in its own as long as that loses nothing.
  static func forms(for name: String) -> [Form]

  /// The form of a file; nil where it is none that can be added to.
  /// - Parameters:
  ///   - envelope: What stands around its entries.
  ///   - record: The beginning of its first record; empty where it has none.
  static func form(of envelope: JSON, first record: HeadSketch) -> Form?

  /// What stands before the entries of a new file.
  static func prefix(_ form: Form) -> String

  /// Begins to write entries.
  /// - Parameters:
  ///   - form: The form of the file.
  ///   - sheet: The imported file that they are added to; nil for a new one.
  static func encoder(_ form: Form, beside sheet: SourceSheet?) -> Encoder
}

extension DocumentCodec {
  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    try await write(session, as: name, options, onOneLine: false, into: output)
  }

  /// - Parameter isOnOneLine: Whether there may be no line breaks in it, so that it is a line of a file.
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
    // The imported file has the bytes in it.
    if hasBytes, let sheet = try session.sourceSheet(format: format.name),
      try !isOnOneLine || !sheet.hasLineBreaks
    {
      let envelope = try ImportedEnvelope(sheet)
      let form = envelope.flatMap { Self.form(of: $0.json, first: $0.first) }
      // A version that is not known here is given back where none was asked for.
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

  /// Whether what a file does not say yet loses nothing in its form that another form would keep.
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
  /// What is lost where the imported file is given back as it stood.
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
