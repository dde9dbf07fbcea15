#if canImport(FoundationModels)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  import FoundationModels
  public import Keepsake

  /// The run of a kept tool, as the tool itself sees it.
  ///
  /// ```swift
  /// let image = try await ToolRun.current?.attach(.data(png), caption: "a ripe banana")
  /// return "Drew \(image?.label ?? "an image")."
  /// ```
  /// A tool that puts the label into its output makes its run certain to be told from equal runs. Child tasks and
  /// `Task {}` inherit the run, and `Task.detached` does not.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public struct ToolRun: Sendable {
    /// The run of the current task; nil outside of a kept tool.
    @TaskLocal public static var current: ToolRun?

    /// The session in which the run is recorded.
    public let session: Session
    /// The run as it was recorded when it began.
    public let invocation: Invocation

    /// Attaches something that the tool made. When it returns, the bytes are durable, even if the tool fails later.
    /// - Parameters:
    ///   - source: The bytes.
    ///   - mediaType: The declared media type; nil to detect it from the bytes.
    ///   - fileName: The declared file name.
    ///   - label: The wanted label. For nil, or a label that is taken, the session's next label is used.
    ///   - caption: A description of the content.
    /// - Returns: The attachment, with the label that the model can be told.
    /// - Throws: `KeepsakeError`, when the bytes can't be read or stored.
    @concurrent @discardableResult
    public func attach(
      _ source: ArtifactSource, mediaType: MediaType? = nil, fileName: String? = nil,
      label: String? = nil, caption: String? = nil
    ) async throws -> Entry.Attachment {
      try await attach(
        Entry.NewAttachment(
          source, mediaType: mediaType, fileName: fileName, label: label, caption: caption))
    }

    /// Attaches something that the tool made, with all its facts. Its maker is always this run.
    /// - Parameter attachment: The attachment.
    /// - Returns: The attachment, with the label that the model can be told.
    /// - Throws: `KeepsakeError`, when the bytes can't be read or stored.
    @concurrent @discardableResult
    public func attach(_ attachment: Entry.NewAttachment) async throws -> Entry.Attachment {
      try await attach([attachment])[0]
    }

    /// Attaches several things that the tool made: all of them, or none when it throws. Their maker is always this
    /// run.
    /// - Parameter attachments: The attachments.
    /// - Returns: The attachments in the same order, with the labels that the model can be told.
    /// - Throws: `KeepsakeError`, when the bytes can't be read or stored.
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

    /// Reports the progress of the run to observers.
    /// - Parameters:
    ///   - fraction: The progress, from 0 to 1.
    ///   - note: A note for the person; nil for none.
    public func progress(_ fraction: Double, note: String? = nil) {
      session.report(fraction, note: note, of: invocation)
    }

    /// Attaches the files that an output names, from the given folders and no others.
    ///
    /// A file that should exist and does not is recorded as missing. A path to another place is left as text.
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
        // Each attachment keeps a file open until it is stored, so they are stored in batches.
        guard attachments.count == 16 else { continue }
        try await attachAny(of: attachments)
        attachments = []
      }
      try await attachAny(of: attachments)
    }

    /// Attaches all at once. If one of them can't be attached, those before it are attached one by one.
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
