#if canImport(CKeepsakeMarkdown)
  import CKeepsakeMarkdown
  import KeepsakeFiles

  /// A parsed text, in the memory of cmark-gfm.
  @safe
  struct MarkdownDocument: ~Copyable {
    @safe private let root: OpaquePointer?

    /// A lock around parsing. Up to 0.29.0.gfm.6, the library keeps special characters in global variables while it
    /// parses.
    private static let parser = Locked(())

    private static let extensions: [String] = {
      cmark_gfm_core_extensions_ensure_registered()
      // The extension "autolink" is not used: it has read out of bounds (CVE-2023-22485), and the viewer finds bare
      // URLs itself.
      return ["strikethrough", "tasklist", "table"]
    }()

    init(_ text: String, hasTables: Bool) {
      let root = Self.parser.withLock { _ in unsafe Root(Self.parse(text, hasTables: hasTables)) }
      self.root = root.node
    }

    deinit { unsafe cmark_node_free(root) }

    /// The root of a tree that nothing else refers to.
    @safe
    private struct Root: @unchecked Sendable {
      // `@unchecked`: the root is passed on once, to the document that owns it.
      @safe let node: OpaquePointer?

      init(_ node: OpaquePointer?) { unsafe self.node = node }
    }

    private static func parse(_ text: String, hasTables: Bool) -> OpaquePointer? {
      // Only "~~gone~~" is struck through, and not "~gone~", because people write a single tilde for "about".
      let options = CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE
      guard let parser = unsafe cmark_parser_new(options) else { return nil }
      defer { unsafe cmark_parser_free(parser) }
      for name in extensions where hasTables || name != "table" {
        if let found = unsafe cmark_find_syntax_extension(name) {
          _ = unsafe cmark_parser_attach_syntax_extension(parser, found)
        }
      }
      var text = text
      text.withUTF8 { bytes in
        guard let start = bytes.baseAddress else { return }
        unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          unsafe cmark_parser_feed(parser, $0, bytes.count)
        }
      }
      let root = unsafe cmark_parser_finish(parser)
      unsafe cmark_consolidate_text_nodes(root)
      return unsafe root
    }

    borrowing func forEach<Failure: Error>(
      _ body: (MarkdownEvent) throws(Failure) -> Void
    ) throws(Failure) {
      guard let root, let walk = unsafe cmark_iter_new(root) else { return }
      defer { unsafe cmark_iter_free(walk) }
      while true {
        let step = unsafe cmark_iter_next(walk)
        if step == CMARK_EVENT_DONE { return }
        guard let node = unsafe cmark_iter_get_node(walk) else { return }
        guard let value = unsafe Self.value(of: node) else { continue }
        try body(step == CMARK_EVENT_EXIT ? .end(value) : .begin(value))
      }
    }

    private static func value(of node: OpaquePointer) -> MarkdownNode? {
      switch unsafe keepsake_markdown_kind_of(node) {
      case KEEPSAKE_MARKDOWN_QUOTE: .quote
      case KEEPSAKE_MARKDOWN_LIST:
        .list(
          start: unsafe cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
            ? Int(cmark_node_get_list_start(node)) : nil,
          isTight: unsafe cmark_node_get_list_tight(node) != 0)
      case KEEPSAKE_MARKDOWN_ITEM:
        .item(
          isTicked: unsafe keepsake_markdown_is_task(node) != 0
            ? cmark_gfm_extensions_get_tasklist_item_checked(node) : nil)
      case KEEPSAKE_MARKDOWN_CODE_BLOCK:
        .codeBlock(
          unsafe text(cmark_node_get_literal(node)),
          language: unsafe text(cmark_node_get_fence_info(node)))
      case KEEPSAKE_MARKDOWN_HTML_BLOCK:
        .html(unsafe text(cmark_node_get_literal(node)), isBlock: true)
      case KEEPSAKE_MARKDOWN_PARAGRAPH: .paragraph
      case KEEPSAKE_MARKDOWN_HEADING: .heading(unsafe Int(cmark_node_get_heading_level(node)))
      case KEEPSAKE_MARKDOWN_RULE: .rule
      case KEEPSAKE_MARKDOWN_TABLE: .table
      case KEEPSAKE_MARKDOWN_ROW:
        .row(isHeader: unsafe cmark_gfm_extensions_get_table_row_is_header(node) != 0)
      case KEEPSAKE_MARKDOWN_CELL: unsafe cell(node)
      case KEEPSAKE_MARKDOWN_TEXT: .text(unsafe text(cmark_node_get_literal(node)))
      case KEEPSAKE_MARKDOWN_SOFT_BREAK: .softBreak
      case KEEPSAKE_MARKDOWN_LINE_BREAK: .lineBreak
      case KEEPSAKE_MARKDOWN_CODE: .code(unsafe text(cmark_node_get_literal(node)))
      case KEEPSAKE_MARKDOWN_HTML_INLINE:
        .html(unsafe text(cmark_node_get_literal(node)), isBlock: false)
      case KEEPSAKE_MARKDOWN_EMPHASIS: .emphasis
      case KEEPSAKE_MARKDOWN_STRONG: .strong
      case KEEPSAKE_MARKDOWN_STRIKETHROUGH: .strikethrough
      case KEEPSAKE_MARKDOWN_LINK:
        .link(
          unsafe text(cmark_node_get_url(node)), title: unsafe text(cmark_node_get_title(node)))
      case KEEPSAKE_MARKDOWN_IMAGE:
        .image(
          unsafe text(cmark_node_get_url(node)), title: unsafe text(cmark_node_get_title(node)))
      default: nil
      }
    }

    private static func cell(_ node: OpaquePointer) -> MarkdownNode {
      let row = unsafe cmark_node_parent(node)
      let table = unsafe cmark_node_parent(row)
      var column = 0
      var before = unsafe cmark_node_previous(node)
      while let each = unsafe before {
        column += 1
        unsafe before = cmark_node_previous(each)
      }
      var alignment = MarkdownNode.Alignment.natural
      let columns = unsafe Int(cmark_gfm_extensions_get_table_columns(table))
      if column < columns,
        let alignments = unsafe cmark_gfm_extensions_get_table_alignments(table)
      {
        alignment =
          switch unsafe alignments[column] {
          case UInt8(ascii: "l"): .left
          case UInt8(ascii: "c"): .centre
          case UInt8(ascii: "r"): .right
          default: .natural
          }
      }
      return .cell(
        alignment, isHeader: unsafe cmark_gfm_extensions_get_table_row_is_header(row) != 0)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
      guard let pointer = unsafe pointer else { return "" }
      return unsafe String(cString: pointer)
    }
  }
#endif
