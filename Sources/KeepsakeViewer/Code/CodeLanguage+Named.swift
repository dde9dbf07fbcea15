extension CodeLanguage {
  /// The language that the first word of a fence names; nil for one that is not coloured.
  static func named(_ name: String) -> CodeLanguage? {
    guard name.utf8.count <= 24 else { return nil }
    return switch name.lowercased() {
    case "swift": swift
    case "python", "py", "python3", "pycon", "ipython": python
    case "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "mts": javaScript
    case "json", "jsonc", "json5", "jsonl", "ndjson": json
    case "bash", "sh", "shell", "zsh", "console", "shell-session", "fish", "ksh", "dockerfile",
      "makefile", "make":
      shell
    case "sql", "sqlite", "postgresql", "postgres", "mysql", "psql", "plsql": sql
    case "html", "xml", "svg", "xhtml", "htm", "vue", "svelte", "plist", "rss", "xsl": markup
    case "css", "scss", "less", "sass": css
    case "c", "h", "cpp", "c++", "cc", "cxx", "hpp", "objc", "objective-c", "objectivec", "cuda",
      "arduino", "glsl", "metal":
      c
    case "java", "kotlin", "kt", "scala", "groovy", "c#", "csharp", "cs", "dart", "php": java
    case "go", "golang", "zig": go
    case "rust", "rs": rust
    case "ruby", "rb", "r", "perl", "pl", "elixir", "julia": script
    case "diff", "patch", "udiff": patch
    case "yaml", "yml": yaml
    case "toml", "ini", "cfg", "conf", "properties", "env", "dotenv": settings
    default: nil
    }
  }

  private static let double = Quote("\"")
  private static let single = Quote("'")
  private static let cLike = [double, single]

  private static let swift = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true,
    quotes: [Quote("\"\"\"", isLong: true), double],
    keywords: """
      actor any as associatedtype async await borrowing break case catch class consuming continue convenience default \
      defer deinit do dynamic else enum extension fallthrough false fileprivate final for func get guard if import in \
      indirect infix init inout internal is isolated lazy let macro mutating nil nonisolated open operator optional \
      override package postfix precedencegroup prefix private protocol public repeat required rethrows return self Self \
      sending set some static struct subscript super switch throw throws true try typealias unowned var weak where while
      """, traits: [.capitalTypes, .interpolation, .attributes])

  private static let python = CodeLanguage(
    lineComments: ["#"],
    quotes: [Quote("\"\"\"", isLong: true), Quote("'''", isLong: true), double, single],
    keywords: """
      and as assert async await break case class continue def del elif else except False finally for from global if \
      import in is lambda match None nonlocal not or pass raise return self True try type while with yield
      """, traits: [.capitalTypes, .attributes])

  private static let javaScript = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true,
    quotes: [double, single, Quote("`", isLong: true)],
    keywords: """
      abstract any as async await boolean break case catch class const continue debugger declare default delete do else \
      enum export extends false finally for from function get if implements import in infer instanceof interface is keyof \
      let namespace never new null number of private protected public readonly return satisfies set static string super \
      switch this throw true try type typeof undefined unknown var void while with yield
      """, traits: [.capitalTypes, .patterns, .attributes])

  private static let json = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true, quotes: [double, single],
    keywords: "true false null", traits: [.stringKeys])

  private static let shell = CodeLanguage(
    lineComments: ["#"],
    quotes: [Quote("\"", isLong: true), Quote("'", isLong: true, hasEscapes: false)],
    keywords: """
      alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local \
      printf read readonly return select set shift source then trap unset until while ADD ARG CMD COPY ENTRYPOINT ENV \
      EXPOSE FROM LABEL RUN USER VOLUME WORKDIR
      """, traits: [.spacedComments, .variables, .dashes])

  private static let sql = CodeLanguage(
    lineComments: ["--"], hasBlockComments: true,
    quotes: [Quote("'", isLong: true, hasEscapes: false), Quote("\"", hasEscapes: false)],
    keywords: """
      add all alter analyze and as asc attach autoincrement begin between by cascade case cast check collate column commit \
      conflict constraint create cross current_timestamp database default delete desc detach distinct do drop else end \
      escape except exists explain false filter foreign from full glob group having if ignore in index inner insert \
      instead intersect into is isnull join key lateral left like limit match natural no not notnull null of offset on or \
      order outer over partition plan pragma primary recursive references reindex release rename replace returning right \
      rollback row rows savepoint select set strict table temp then to transaction trigger true union unique update using \
      vacuum values view virtual when where window with without integer int bigint text blob real numeric boolean varchar \
      timestamp date json jsonb serial uuid
      """, traits: [.caseless])

  private static let css = CodeLanguage(
    hasBlockComments: true, quotes: cLike, keywords: "important from to and not only",
    traits: [.properties, .attributes, .dashes])

  private static let c = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true, quotes: cLike,
    keywords: """
      alignas alignof asm auto bool break case catch char class co_await co_return co_yield concept const const_cast \
      consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export \
      extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr NULL operator \
      override private protected public register reinterpret_cast requires restrict return short signed sizeof static \
      static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union \
      unsigned using virtual void volatile wchar_t while id self nil YES NO size_t
      """, traits: [.directives, .attributes])

  private static let java = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true,
    quotes: [Quote("\"\"\"", isLong: true), double, single],
    keywords: """
      abstract as async await base boolean break byte case catch char class companion const continue data default delegate \
      do double dynamic echo else enum extends external false final finally float for foreach fun function get if \
      implements import in init inner instanceof int interface internal is late lazy let library long match namespace \
      native new null object open operator out override package params private protected public readonly record required \
      return sealed short static string struct super suspend switch synchronized this throw throws trait true try typealias \
      use using val var virtual void volatile when where while with yield
      """, traits: [.capitalTypes, .attributes, .variables])

  private static let go = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true,
    quotes: [double, single, Quote("`", isLong: true, hasEscapes: false)],
    keywords: """
      any bool break byte case chan const continue default defer else error fallthrough false float32 float64 fn for func \
      go goto if import int int32 int64 interface iota map nil package pub range return rune select string struct switch \
      true try type uint8 var while
      """, traits: [.capitalTypes])

  private static let rust = CodeLanguage(
    lineComments: ["//"], hasBlockComments: true, quotes: [Quote("\"", isLong: true), single],
    keywords: """
      as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in let \
      loop match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 union unsafe use \
      usize where while
      """, traits: [.capitalTypes, .lifetimes])

  private static let script = CodeLanguage(
    lineComments: ["#"], quotes: cLike,
    keywords: """
      alias and begin break case class def defmodule defp do done else elsif end ensure false fn for foreach function if \
      import in include local loop module my my new next nil not or our package puts raise redo require rescue retry \
      return self sub super then true try undef unless until use using when while yield TRUE FALSE NULL
      """, traits: [.capitalTypes, .spacedComments, .variables])

  private static let yaml = CodeLanguage(
    lineComments: ["#"], quotes: cLike, keywords: "true false null yes no on off",
    traits: [.spacedComments, .lineKeys, .stringKeys, .dashes])

  private static let settings = CodeLanguage(
    lineComments: ["#", ";"],
    quotes: [Quote("\"\"\"", isLong: true), Quote("'''", isLong: true), double, single],
    keywords: "true false null yes no on off", traits: [.spacedComments, .lineKeys, .dashes])

  private static let markup = CodeLanguage(.markup)
  private static let patch = CodeLanguage(.patch)
}
