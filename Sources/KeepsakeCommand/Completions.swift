/// The shells' completion scripts, made from the declarations.
struct Completions {
  let declarations: [Declaration]

  fileprivate static let leading = Declaration.common.map(\.name) + ["--version"]

  /// The argument with which scripts ask for sessions, one on each line with a name, a tab and a title.
  static let sessions = "sessions"

  /// The script for bash, which completes files by default, because most operands are files.
  var bash: String {
    let words = BashWords(declarations)
    return """
      # bash completions for keepsake
      _keepsake_sessions() {
        local i store=()
        for ((i = 1; i < COMP_CWORD; i++)); do
          [[ ${COMP_WORDS[i]} == --store ]] && store=(--store "${COMP_WORDS[i + 1]}")
        done
        local words=$("${COMP_WORDS[0]}" "${store[@]}" completions \(Self.sessions) 2>/dev/null | cut -f 1)
        COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
      }
      _keepsake() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' i
        local operands=0
        for ((i = 1; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            --store) ((i++)) ;;
            -*) ;;
            *) command=${COMP_WORDS[i]}; break ;;
          esac
        done
        for ((i++; i < COMP_CWORD; i++)); do
          case ${COMP_WORDS[i]} in
            \(words.withValue.sorted().joined(separator: "|"))) ((i++)) ;;
            -*) ;;
            *) ((operands++)) ;;
          esac
        done
        case "$command $prev" in
          *' --store' | *' --output' | *' -o') ;;
      \(words.values)    *)
            case $command in
              '') words='\(words.names.joined(separator: " "))' ;;
      \(words.options.indented(by: "        "))      esac
            if [[ -n $command && $cur != -* ]]; then
              words=''
              case "$command $operands" in
                \(words.sessions.joined(separator: " | "))) _keepsake_sessions; return ;;
              esac
            fi
            ;;
        esac
        COMPREPLY=()
        [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$cur"))
      }
      complete -o default -F _keepsake keepsake

      """
  }

  var zsh: String {
    let commands = declarations.map {
      "    \(Self.quoted("\($0.name):\($0.summary)"))\n"
    }.joined()
    let cases = declarations.map { declaration in
      let options = declaration.allOptions.map { option in
        let help = Self.escapingBrackets(option.help)
        let repeats = option.repeats ? "*" : ""
        let value = option.value.map { name in
          ":\(name):"
            + (name == Self.session
              ? "_keepsake_sessions"
              : option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
        }
        return Self.quoted("\(repeats)\(option.name)[\(help)]\(value ?? "")")
      }
      return
        "    \(declaration.name)) _arguments \(options.joined(separator: " "))\(Self.operands(declaration)) ;;\n"
    }.joined()
    return """
      #compdef keepsake
      # zsh completions for keepsake
      _keepsake_sessions() {
        local -a store found
        local at=${words[(I)--store]}
        ((at)) && store=(--store "$words[at + 1]")
        found=("${(@f)$(keepsake $store completions \(Self.sessions) 2>/dev/null)}")
        found=("${(@)found/$'\\t'/:}")
        _describe session found
      }
      _keepsake() {
        local -a commands=(
      \(commands)  )
        if ((CURRENT == 2)); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        ((CURRENT--))
        case $command in
      \(cases)  esac
      }
      _keepsake "$@"

      """
  }

  var fish: String {
    var text = "# fish completions for keepsake\n"
    for declaration in declarations {
      text +=
        "complete -c keepsake -n __fish_use_subcommand -f -a \(declaration.name) -d \(Self.quotedForFish(declaration.summary))\n"
      for option in declaration.allOptions {
        text +=
          "complete -c keepsake -n '__fish_seen_subcommand_from \(declaration.name)' -l \(option.name.dropFirst(2))"
        if let short = option.short { text += " -s \(short.dropFirst())" }
        if option.value != nil { text += option.choices.isEmpty ? " -r" : " -x" }
        if option.value == Self.session { text += " -f -a '\(Self.fishSessions)'" }
        if !option.choices.isEmpty { text += " -a '\(option.choices.joined(separator: " "))'" }
        text += " -d \(Self.quotedForFish(option.help))\n"
      }
      if declaration.sessions != nil {
        text +=
          "complete -c keepsake -n '__fish_seen_subcommand_from \(declaration.name)' -a '\(Self.fishSessions)'\n"
      }
    }
    return text
  }

  /// The name of operands and values that are sessions.
  fileprivate static let session = "SESSION"
  private static let fishSessions = "(keepsake completions \(sessions) 2>/dev/null)"

  /// Returns zsh's completions for operands.
  private static func operands(_ declaration: Declaration) -> String {
    switch declaration.sessions {
    case nil: " '*:file:_files'"
    case "*": " '*:session:_keepsake_sessions'"
    default: " '1:session:_keepsake_sessions' '*:file:_files'"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: #"'\''"#))'"
  }

  private static func quotedForFish(_ text: String) -> String {
    "'\(text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#))'"
  }

  private static func escapingBrackets(_ text: String) -> String {
    text.replacing("[", with: #"\["#).replacing("]", with: #"\]"#).replacing(":", with: #"\:"#)
  }
}

/// The words in the script for bash that come from the declarations.
private struct BashWords {
  let names: [String]
  /// The branches of a `case` over a command and an option: the values that the option takes.
  var values = ""
  /// The branches of a `case` over a command: its options.
  var options = ""
  /// The patterns of a command and a number of operands before one that is a session.
  var sessions: [String] = []
  /// The options that take a value.
  var withValue: Set<String> = []

  init(_ declarations: [Declaration]) {
    names = declarations.map(\.name) + ["help"] + Completions.leading
    for declaration in declarations {
      for option in declaration.allOptions where !option.choices.isEmpty {
        values += """
              '\(declaration.name) \(option.name)') words='\(option.choices.joined(separator: " "))' ;;

          """
      }
      for option in declaration.allOptions where option.value != nil {
        withValue.formUnion([option.name, option.short].compactMap { $0 })
        if option.value == Completions.session {
          values += "      '\(declaration.name) \(option.name)') _keepsake_sessions; return ;;\n"
        }
      }
      if let count = declaration.sessions { sessions.append("'\(declaration.name) '\(count)") }
      let words = declaration.allOptions.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) }
      options += "\(declaration.name)) words='\(words.joined(separator: " "))' ;;\n"
    }
  }
}

extension String {
  fileprivate func indented(by margin: String) -> String {
    split(separator: "\n").map { "\(margin)\($0)\n" }.joined()
  }
}

extension Declaration {
  /// The place of operands that are sessions: "0" for the first operand only, "*" for any operand.
  ///
  /// Nil if no operand is a session.
  fileprivate var sessions: String? {
    guard let first = operands.first, first.name == Completions.session else { return nil }
    return first.repeats ? "*" : "0"
  }
}
