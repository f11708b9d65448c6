// The options of `nereid` itself that ask something and take no command: --version, --cmake-dir.
#ifndef NEREID_AOT_QUESTIONS_H
#define NEREID_AOT_QUESTIONS_H

namespace CLI {
class App;
} // namespace CLI

namespace nereid {

/// Asked, they print an answer and end the parsing with CLI::Success, or with CLI::RuntimeError if there is
/// none.
void addQuestions(CLI::App &app);

} // namespace nereid

#endif // NEREID_AOT_QUESTIONS_H
