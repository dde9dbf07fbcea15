#if canImport(FoundationModels)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  import FoundationModels
  public import Keepsake

  /// The run of a kept tool, as the tool sees it from inside.
  ///
  /// ```swift
  /// let image = try await ToolRun.current?.attach(.data(png), caption: "a ripe banana")
  /// return "Drew \(image?.label ?? "an image")."
  /// ```
  /// A tool that puts the label into its output lets the run be told from its twins for certain. Child tasks and `Task {}`
  /// have it, `Task.detached` has not.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public struct ToolRun: Sendable {
    /// The run that this task is of; nil outside of a kept tool.
    @TaskLocal public static var current: ToolRun?

    public let session: Session
    /// The run as it was recorded when it began.
    public let invocation: Invocation

    /// Keeps what the tool made; durable when it returns, also if the tool fails later or is cancelled.
    /// - Parameters:
    ///   - source: The bytes.
    ///   - mediaType: As the tool declares it; nil to go by the bytes.
    ///   - fileName: What the tool calls it.
    ///   - label: The label that it should have; nil, or one that is taken, for the next of the session.
    ///   - caption: What it shows.
    /// - Returns: The attachment, with the label that the model can be told.
    @concurrent @discardableResult
    public func attach(
      _ source: ArtifactSource, mediaType: MediaType? = nil, fileName: String? = nil,
      label: String? = nil, caption: String? = nil
    ) async throws -> Entry.Attachment {
      try await attach(
        Entry.NewAttachment(
          source, mediaType: mediaType, fileName: fileName, label: label, caption: caption))
    }

    /// Keeps what the tool made, with all that is to be said of it; whoever it names as maker, this run is.
    @concurrent @discardableResult
    public func attach(_ attachment: Entry.NewAttachment) async throws -> Entry.Attachment {
      try await attach([attachment])[0]
    }

    /// Keeps several things that the tool made: all of them, or, on an error, none; whoever they name as maker, this
    /// run is.
    @concurrent @discardableResult
    public func attach(_ attachments: [Entry.NewAttachment]) async throws -> [Entry.Attachment] {
      try await session.attach(
        attachments.map { attachment in
          var attachment = attachment
          attachment.maker = .invocation(invocation)
          attachment.direction = .made
          return attachment
        })
    }

    /// Tells observers how far it has got, from 0 to 1.
    public func progress(_ fraction: Double, note: String? = nil) {
      session.report(fraction, note: note, of: invocation)
    }

    /// Takes in the files that an output names, from these folders and no others.
    ///
    /// A file that should be there and is not is recorded as missing; a path to somewhere else is only a text.
    func takeIn(filesNamedIn output: String, from folders: [URL]) async throws {
      let folders = folders.filter { FileManager.default.fileExists(atPath: $0.path) }
      if folders.isEmpty { return }
      let names = NamedFiles.names(in: output)
      if names.isEmpty { return }
      let allowed = try IntakeFolders(folders)
      var attachments: [Entry.NewAttachment] = []
      for name in names {
        var attachment: Entry.NewAttachment
        do {
          attachment = Entry.NewAttachment(
            try allowed.source(named: name), fileName: Self.fileName(name))
        } catch let error as KeepsakeError {
          if error.code == .refused || error.code == .invalid { continue }
          attachment = .awaited(.missing, madeBy: .invocation(invocation))
        }
        attachment.reference = name
        attachments.append(attachment)
        // Each is an open file until it is taken in.
        guard attachments.count == 16 else { continue }
        try await attachAny(of: attachments)
        attachments = []
      }
      try await attachAny(of: attachments)
    }

    /// All at once, or, where one of them can't be taken in, those before it.
    private func attachAny(of attachments: [Entry.NewAttachment]) async throws {
      do { try await attach(attachments) } catch {
        for attachment in attachments { try await attach(attachment) }
      }
    }

    /// The last component of a path or URL.
    private static func fileName(_ name: String) -> String? {
      if name.lowercased().hasPrefix("file:"), let url = URL(string: name) {
        return url.lastPathComponent
      }
      return name.split(separator: "/").last.map(String.init)
    }
  }
#endif
