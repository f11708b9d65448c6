// The three shells want the same facts in three forms: bash a function that looks at the words, zsh
// specifications for its _arguments, fish a command for each option. Whatever has no list of values is
// completed with the names of files.
#include "aot/ShellCompletion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nereid {

/// For a shell, as one word.
static std::string quote(StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// bash

static std::string writeBashNames(const CommandDescription &command) {
  std::vector<std::string> names;
  for (const OptionDescription &option : command.options)
    append_range(names, option.names);
  return join(names, " ");
}

/// A pattern of `case` for each name: 'compile -t'|'compile --target'
static std::string writeBashPatterns(const CommandDescription &command, const OptionDescription &option) {
  std::vector<std::string> patterns;
  for (const std::string &name : option.names)
    patterns.push_back(quote(command.name + " " + name));
  return join(patterns, "|");
}

std::string writeBashCompletion(ArrayRef<CommandDescription> commands) {
  std::string text = R"(# bash completion for nereid, written by `nereid completion bash`

_nereid() {
  # Words are what spaces separate; COMP_WORDS is also split at colons, which targets have, and at '='.
  local line=${COMP_LINE:0:COMP_POINT} words word command='' values='' list=''
  read -ra words <<<"$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  local current=${words[${#words[@]} - 1]} previous=${words[${#words[@]} - 2]}
  for word in "${words[@]:1:${#words[@]} - 2}"; do
    case "$command $word" in
)";
  std::vector<std::string> steps;
  for (const CommandDescription &command : commands)
    for (const std::string &own : command.commands)
      steps.push_back(quote(command.name + " " + own));
  text += "    " + join(steps, "|") + ") command=\"${command:+$command }$word\" ;;\n";
  text += R"(    esac
  done
  case $current in --*=*) previous=${current%%=*} current=${current#*=} ;; esac
  COMPREPLY=()
  case "$command $previous" in
)";
  for (const CommandDescription &command : commands)
    for (const OptionDescription &option : command.options) {
      if (option.isPositional() || !option.takesValue)
        continue;
      text += "  " + writeBashPatterns(command, option) + ") ";
      if (option.choices.empty())
        text += "return 0 ;;\n";
      else
        text += "values=" + quote(join(option.choices, " ")) + (option.isList ? " list=1" : "") + " ;;\n";
    }
  text += "  *)\n    case \"$command/$current\" in\n";
  for (const CommandDescription &command : commands) {
    text += "    " + quote(command.name + "/-") + "*) values=" + quote(writeBashNames(command)) + " ;;\n";
    std::vector<std::string> words = command.commands;
    for (const OptionDescription &option : command.options)
      if (option.isPositional())
        append_range(words, option.choices);
    if (!words.empty())
      text += "    " + quote(command.name + "/") + "*) values=" + quote(join(words, " ")) + " ;;\n";
  }
  text += R"(    esac ;;
  esac
  local front='' cut='' typed
  if [ -n "$list" ]; then
    case $current in *,*) front=${current%,*}, current=${current##*,} ;; esac
  fi
  # The shell replaces only what stands behind the last of its word breaks.
  typed=$front$current
  for word in : =; do
    case $COMP_WORDBREAKS in
    *$word*)
      case $typed in
      *$word*)
        local candidate=${typed%"${typed##*"$word"}"}
        [ ${#candidate} -le ${#cut} ] || cut=$candidate ;;
      esac ;;
    esac
  done
  for word in $values; do
    case $word in "$current"*) word=$front$word COMPREPLY+=("${word#"$cut"}") ;; esac
  done
  return 0
}
complete -o default -o bashdefault -F _nereid nereid
)";
  return text;
}

// zsh

/// A text in the brackets of a specification.
static std::string escapeForZsh(StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (c == '[' || c == ']' || c == '\\' || c == ':')
      escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What completes a value: a list in parentheses, the function of the lists that are separated by commas, or
/// files.
static std::string writeZshAction(const OptionDescription &option) {
  if (option.choices.empty())
    return "_files";
  if (option.isList)
    return "_nereid" + StringRef(option.getLongName()).drop_front(1).str();
  return "(" + escapeForZsh(join(option.choices, " ")) + ")";
}

static std::string writeZshArguments(const CommandDescription &command) {
  std::string text;
  for (const OptionDescription &option : command.options) {
    text += " \\\n        ";
    if (option.isPositional()) {
      text += quote((option.isRepeatable ? "*:" : ":") + escapeForZsh(option.placeholder) + ":" +
                    writeZshAction(option));
      continue;
    }
    std::string explanation = "[" + escapeForZsh(option.text) + "]";
    if (option.takesValue)
      explanation += ":" + escapeForZsh(option.placeholder) + ":" + writeZshAction(option);
    std::vector<std::string> names;
    for (const std::string &name : option.names)
      names.push_back(option.takesValue ? name + (StringRef(name).starts_with("--") ? "=" : "+") : name);
    // One that is given once excludes itself under its other name.
    text +=
        option.isRepeatable || !option.takesValue ? quote("*") : quote("(" + join(option.names, " ") + ")");
    text += names.size() == 1 ? quote(names.front()) : "{" + join(names, ",") + "}";
    text += quote(explanation);
  }
  return text;
}

/// Those of `parent`, with their texts.
static std::string writeZshCommands(const CommandDescription &parent, ArrayRef<CommandDescription> commands) {
  std::string text;
  for (const std::string &own : parent.commands)
    for (const CommandDescription &command : commands)
      if (command.name == (parent.name.empty() ? own : parent.name + " " + own))
        text += " " + quote(own + ":" + command.text);
  return text;
}

std::string writeZshCompletion(ArrayRef<CommandDescription> commands) {
  std::string text = "#compdef nereid\n# zsh completion for nereid, written by `nereid completion zsh`\n\n";
  std::vector<std::string> written;
  for (const CommandDescription &command : commands)
    for (const OptionDescription &option : command.options)
      if (std::string name = writeZshAction(option); option.isList && !is_contained(written, name)) {
        text += name + "() {\n  _sequence compadd -";
        for (const std::string &choice : option.choices)
          text += " " + quote(choice);
        text += "\n}\n\n";
        written.push_back(name);
      }
  text +=
      "_nereid() {\n  local context state state_descr line curcontext=$curcontext\n  typeset -A opt_args\n"
      "  _nereid_command ''\n}\n\n"
      "# A command's options, and its own commands if it has some.\n"
      "_nereid_command() {\n  case $1 in\n";
  for (const CommandDescription &command : commands) {
    text += "  " + quote(command.name) + ")\n    ";
    if (command.commands.empty()) {
      text += "_arguments -s -S" + writeZshArguments(command) + " ;;\n";
      continue;
    }
    text += "_arguments -C" + writeZshArguments(command) +
            " \\\n        '1:command:->command' '*::argument:->arguments'\n" +
            "    case $state in\n    command)\n      local -a commands=(" +
            writeZshCommands(command, commands) +
            " )\n      _describe -t commands command commands ;;\n    arguments)\n      _nereid_command \"" +
            (command.name.empty() ? "" : command.name + " ") + "$words[1]\" ;;\n    esac ;;\n";
  }
  text += "  *) _files ;;\n  esac\n}\n\n"
          "if [ \"$funcstack[1]\" = _nereid ]; then _nereid \"$@\"; else compdef _nereid nereid; fi\n";
  return text;
}

// fish

static std::string quoteForFish(StringRef text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// The condition under which a command's options are offered.
static std::string writeFishCondition(StringRef name, StringRef leaves) {
  std::string condition;
  SmallVector<StringRef> words;
  name.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word).str();
  if (!leaves.empty())
    condition +=
        (condition.empty() ? "not " : "; and not ") + ("__fish_seen_subcommand_from " + leaves).str();
  return condition;
}

std::string writeFishCompletion(ArrayRef<CommandDescription> commands) {
  std::string text = "# fish completion for nereid, written by `nereid completion fish`\n\n";
  for (const CommandDescription &command : commands) {
    std::string condition =
        " -n " + quoteForFish(writeFishCondition(command.name, join(command.commands, " ")));
    for (const std::string &own : command.commands)
      for (const CommandDescription &other : commands)
        if (other.name == (command.name.empty() ? own : command.name + " " + own))
          text +=
              "complete -c nereid" + condition + " -f -a " + own + " -d " + quoteForFish(other.text) + "\n";
    for (const OptionDescription &option : command.options) {
      std::string values;
      if (option.isList)
        values = " -x -a " + quoteForFish("(__fish_complete_list , 'printf \"%s\\n\" " +
                                          join(option.choices, " ") + "')");
      else if (!option.choices.empty())
        values = " -x -a " + quoteForFish(join(option.choices, " "));
      else if (option.takesValue && !option.isPositional())
        values = " -r";
      if (option.isPositional()) {
        if (!values.empty())
          text += "complete -c nereid" + condition + " -f" + values + "\n";
        continue;
      }
      text += "complete -c nereid" + condition;
      for (const std::string &name : option.names)
        text += StringRef(name).starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += values + " -d " + quoteForFish(option.text) + "\n";
    }
  }
  return text;
}

} // namespace nereid
