// TUNE's values become configurations as @triton.autotune has them, so that one way leads from there.
#include "aot/TuningSpace.h"

#include "aot/KernelConfig.h"
#include "compiler/model/InputFile.h"
#include "linker/Condition.h"
#include "linker/GridExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <set>

using namespace llvm;

namespace nereid {

namespace {

/// Options that say how a configuration is compiled, and are no parameters of its kernel.
constexpr StringLiteral numberOptions[] = {"num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu"},
                        flagOptions[] = {"warp_specialize", "tensor_maps", "launch_cooperative_grid",
                                         "launch_pdl"};

using Config = KernelDeclaration::Config;

/// One configuration, and what it says beyond a KernelDeclaration::Config.
struct Candidate {
  Config config;
  std::optional<bool> warpSpecialize, useTensorMaps;
  /// Where it stands.
  SMRange range;
  /// The options among what a text lists. They are this candidate's own, whatever the job says for all.
  std::vector<std::string> listed;
};

/// Names the entries of a positional signature; false if there are too many.
bool nameParameters(const KernelDeclaration &kernel, Specialization &specialization) {
  if (specialization.parameters.size() > kernel.parameters.size())
    return false;
  for (auto [spec, parameter] : zip(specialization.parameters, kernel.parameters))
    spec.name = parameter.name;
  specialization.named = true;
  return true;
}

/// Whether a condition speaks of what is only known when a kernel is called.
bool asksForArguments(const GridExpression &condition, const Specialization &specialization) {
  return any_of(condition.getNames(), [&](const std::string &name) {
    auto given =
        find_if(specialization.parameters, [&](const ParameterSpec &spec) { return spec.name == name; });
    return given != specialization.parameters.end() && !given->constant && !given->equalsOne;
  });
}

/// A condition as a side of an `and`: with brackets if it has an `or` outside of all brackets.
std::string bindForAnd(StringRef condition) {
  unsigned depth = 0;
  for (size_t at = 0; at < condition.size(); ++at) {
    depth += condition[at] == '(';
    depth -= condition[at] == ')' && depth;
    bool isOr = condition.substr(at).starts_with(" or ") || condition.substr(at).starts_with("||");
    if (isOr && depth == 0)
      return "(" + condition.str() + ")";
  }
  return condition.str();
}

/// Replaces a job for which heuristics would have to know the arguments of calls by one for each answer,
/// whose conditions say which calls those are. `request` has the job's signature, by name, with all its
/// values.
bool splitByHeuristics(const KernelDeclaration &kernel, const CompileRequest &request,
                       std::vector<KernelJob> &jobs, Diagnostics &diagnostics) {
  // Values for some targets only have no place in a signature for all of them.
  if (!jobs.front().targetSettings.empty() && !jobs.front().specialization->named)
    return true;
  for (const auto &[name, text] : kernel.heuristicConditions) {
    bool isGiven =
        any_of(request.specialization.parameters,
               [&, parameter = StringRef(name)](const auto &spec) { return spec.name == parameter; });
    if (isGiven)
      continue;
    std::string title = "<heuristics of " + name + ">";
    std::optional<GridExpression> condition =
        GridExpression::parseCondition(diagnostics.addSource(title, text), diagnostics);
    if (!condition)
      return false;
    if (!asksForArguments(*condition, request.specialization))
      continue;
    std::vector<KernelJob> split;
    for (const KernelJob &job : jobs)
      for (bool answer : {true, false}) {
        KernelJob one = job;
        if (!one.specialization->named)
          one.specialization = request.specialization;
        ParameterSpec spec;
        spec.name = name;
        spec.constant = answer;
        spec.range = one.specialization->range;
        one.specialization->parameters.push_back(std::move(spec));
        std::string when = printCondition(*condition, /*isContrary=*/!answer);
        if (job.when)
          when = bindForAnd(*job.when) + " and " + bindForAnd(when);
        one.when = diagnostics.addSource(title, when);
        split.push_back(std::move(one));
      }
    jobs = std::move(split);
  }
  return true;
}

class Expansion {
public:
  Expansion(const KernelJob &job, std::vector<KernelJob> &jobs, Diagnostics &diagnostics)
      : job(job), jobs(jobs), diagnostics(diagnostics), warnings(diagnostics) {}

  bool run() {
    for (const Target &target : job.targets) {
      std::optional<KernelDeclaration> kernel =
          findKernel(job.sourcePath, job.kernel, {job.importPaths, job.definitions, target, job.compileLimit},
                     diagnostics);
      if (!kernel || !addTarget(*kernel, target))
        return false;
    }
    std::vector<std::string> texts = warnings.takeTexts();
    for (KernelJob &made : found)
      if (!made.targets.empty()) {
        made.warnings = texts;
        jobs.push_back(std::move(made));
      }
    return true;
  }

private:
  bool fail(SMRange where, const Twine &message) {
    diagnostics.error(where, message);
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Configurations
  //===--------------------------------------------------------------------===//

  bool addTarget(KernelDeclaration kernel, const Target &target) {
    std::vector<Candidate> candidates;
    if (job.autotune) {
      if (kernel.configs.empty()) {
        refuseWithoutConfigs(kernel, job.autotuneRange, adviseToTune(kernel), diagnostics);
        return false;
      }
      warnOfPruning(kernel);
      for (Config &config : kernel.configs)
        candidates.push_back({std::move(config), std::nullopt, std::nullopt, job.autotuneRange, {}});
    }
    for (StringRef text : job.tune)
      if (!readTune(text, kernel, candidates))
        return false;
    kernel.configs.clear();
    for (const Candidate &candidate : candidates)
      kernel.configs.push_back(candidate.config);
    auto shared = std::make_shared<const KernelDeclaration>(std::move(kernel));
    std::set<std::string> made;
    std::vector<std::pair<KernelJob, std::string>> refusals;
    for (auto [index, candidate] : enumerate(candidates)) {
      KernelJob one = job;
      one.tune.clear();
      one.autotune = false;
      one.declaration = shared;
      one.config = index;
      one.configRange = candidate.range;
      for (StringRef option : candidate.listed) {
        if (option == "num_warps")
          one.numWarps.reset();
        else if (option == "num_stages")
          one.numStages.reset();
        else if (option == "num_ctas")
          one.numCTAs.reset();
        else if (option == "maxnreg")
          one.maxRegisters.reset();
      }
      if (candidate.warpSpecialize)
        one.warpSpecialize = candidate.warpSpecialize;
      if (candidate.useTensorMaps)
        one.useTensorMaps = *candidate.useTensorMaps;
      Diagnostics own(diagnostics);
      std::optional<CompileRequest> request = makeRequest(one, target, own);
      if (!request) {
        refusals.push_back({std::move(one), join(own.takeTexts(), "")});
        continue;
      }
      // What heuristics decide by the arguments of a call is a variant for each answer.
      std::vector<KernelJob> answered = {std::move(one)};
      if (!splitByHeuristics(*shared, *request, answered, diagnostics))
        return false;
      for (KernelJob &answer : answered)
        if (made.insert(describeCode(*request) + "; " + answer.when.value_or("").str()).second)
          addJob(std::move(answer), candidate, *request);
    }
    for (const auto &[refused, texts] : refusals) {
      // What is wrong with all of them is wrong with the signature, most often.
      if (made.empty())
        return makeRequest(refused, target, diagnostics), false;
      if (shownRefusals.insert(texts).second)
        warnings.warning(refused.configRange, "a configuration is left out: " + firstMessage(texts));
    }
    return true;
  }

  /// How to say what a decorator does not: the values that configurations would give, most likely.
  std::string adviseToTune(const KernelDeclaration &kernel) const {
    // Entries by position are first of all for the arguments.
    size_t entries = count_if(job.specialization->parameters, [](auto &spec) { return spec.name.empty(); });
    size_t arguments = count_if(kernel.parameters, [](auto &parameter) { return !parameter.isConstexpr; });
    size_t given = entries > arguments ? entries - arguments : 0;
    std::string names;
    for (const KernelDeclaration::Parameter &parameter : kernel.parameters) {
      if (!parameter.isConstexpr || parameter.hasDefault ||
          any_of(job.specialization->parameters,
                 [&](const ParameterSpec &spec) { return spec.name == parameter.name; }))
        continue;
      if (given == 0)
        names += parameter.name + "=[…], ";
      else
        --given;
    }
    return "list the values to try, in place of the decorator's: \"" + names +
           "num_warps=[4,8]\" (TUNE in CMake, --tune, or \"tune\" of a manifest)";
  }

  /// What @triton.autotune does with its configurations before it measures, and nobody does here.
  void warnOfPruning(const KernelDeclaration &kernel) {
    for (const auto &[name, value] : kernel.autotuneOptions)
      if (name == "prune_configs_by" && value != "None" && shownRefusals.insert(name).second)
        warnings.warning(
            job.autotuneRange,
            "'" + kernel.name +
                "' has Triton drop configurations by the arguments of a call (prune_configs_by); all "
                "of them are tried here. If some are wrong for some calls, and not just slow, list "
                "the others (TUNE), or give conditions (WHEN)");
  }

  /// `error: TEXT` of a diagnostic with the lines of the source behind it.
  static std::string firstMessage(StringRef text) {
    size_t at = text.find("error: ");
    return text.substr(at == StringRef::npos ? 0 : at + strlen("error: ")).split('\n').first.str();
  }

  /// Appends the configurations that a text stands for.
  bool readTune(StringRef text, const KernelDeclaration &kernel, std::vector<Candidate> &candidates) {
    std::optional<std::vector<Specialization>> all = parseSignatures(text, diagnostics);
    if (!all)
      return false;
    for (const Specialization &values : *all) {
      Candidate candidate;
      candidate.range = rangeOf(text);
      if (!values.named)
        return fail(rangeOf(text), "expected names with values to be tried, such as BLOCK=[64,128], "
                                   "num_warps=[4,8]");
      for (const ParameterSpec &spec : values.parameters)
        if (!readValue(spec, kernel, candidate))
          return false;
      candidates.push_back(std::move(candidate));
    }
    return true;
  }

  bool readValue(const ParameterSpec &spec, const KernelDeclaration &kernel, Candidate &candidate) {
    std::optional<ConstantValue> value = spec.constant;
    if (!value && !spec.isPointer && !spec.equalsOne && spec.divisibleBy == 1 && !spec.values &&
        !spec.elements)
      value = DTypeConstant{spec.element};
    if (!value)
      return fail(spec.range,
                  "'" + spec.name + "' is to be tried with compile-time values, and this is a type");
    bool isParameter =
        any_of(kernel.parameters, [&](const auto &parameter) { return parameter.name == spec.name; });
    bool isNumber = is_contained(numberOptions, spec.name), isFlag = is_contained(flagOptions, spec.name);
    if (!isParameter && !isNumber && !isFlag)
      return fail(spec.range,
                  "'" + spec.name + "' is neither a parameter of '" + kernel.name +
                      "' nor one of the options num_warps, num_stages, num_ctas, maxnreg, waves_per_eu, "
                      "warp_specialize, tensor_maps, launch_cooperative_grid, launch_pdl");
    if (isParameter && job.specialization->named &&
        any_of(job.specialization->parameters, [&](const auto &given) { return given.name == spec.name; }))
      return fail(spec.range,
                  "'" + spec.name + "' is to be tried with several values, and the signature has it as well");
    if (isNumber) {
      const int64_t *number = std::get_if<int64_t>(&*value);
      if (!number || *number < 1 || *number > 1024)
        return fail(spec.range, "expected '" + spec.name + "' to be integers from 1 to 1024");
      auto count = static_cast<unsigned>(*number);
      candidate.listed.push_back(spec.name);
      if (spec.name == "num_warps")
        candidate.config.numWarps = count;
      else if (spec.name == "num_stages")
        candidate.config.numStages = count;
      else if (spec.name == "num_ctas")
        candidate.config.numCTAs = count;
      else if (spec.name == "maxnreg")
        candidate.config.maxRegisters = count;
      else
        candidate.config.constants.push_back({spec.name, *value});
      candidate.range = spec.range;
    } else if (isFlag) {
      const bool *flag = std::get_if<bool>(&*value);
      if (!flag)
        return fail(spec.range, "expected '" + spec.name + "' to be True or False");
      if (spec.name == "warp_specialize")
        candidate.warpSpecialize = *flag;
      else if (spec.name == "tensor_maps")
        candidate.useTensorMaps = *flag;
      else
        candidate.config.constants.push_back({spec.name, *value});
    }
    if (isParameter)
      candidate.config.constants.push_back({spec.name, *value});
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Variants
  //===--------------------------------------------------------------------===//

  /// Of two requests that read the same the code would be the same.
  static std::string describeCode(const CompileRequest &request) {
    std::string text = request.specialization.str();
    if (!request.target.isGPU())
      return text;
    for (unsigned number :
         {request.numWarps, request.numStages, request.numCTAs, request.maxRegisters.value_or(0),
          request.wavesPerEU.value_or(0), unsigned(request.isCooperative), unsigned(request.overlapsWithLast),
          unsigned(request.useTensorMaps),
          request.warpSpecialize ? 1 + unsigned(*request.warpSpecialize) : 0})
      text += "; " + utostr(number);
    return text;
  }

  static std::string print(const ConstantValue &value) {
    ParameterSpec spec;
    spec.constant = value;
    return spec.str();
  }

  /// What of a configuration is the variant's own, as it is compiled.
  Tuning describe(const KernelDeclaration &kernel, const Candidate &candidate,
                  const CompileRequest &request) const {
    Tuning tuning;
    tuning.base = job.specialization->str();
    if (job.when)
      tuning.base += "; " + job.when->str();
    tuning.key = kernel.tuningKey;
    std::vector<std::string> own = {"num_warps", "num_stages", "num_ctas", "maxnreg"};
    for (const auto &[name, value] : candidate.config.constants) {
      bool isOwn = is_contained(own, name);
      auto given =
          find_if(request.specialization.parameters,
                  [&, name = StringRef(name)](const ParameterSpec &spec) { return spec.name == name; });
      if (!isOwn || given != request.specialization.parameters.end())
        tuning.values.push_back({name, print(given == request.specialization.parameters.end() ? value
                                             : given->constant ? *given->constant
                                                               : value)});
    }
    auto add = [&](StringRef name, const std::string &text) {
      if (none_of(tuning.values, [&](const auto &entry) { return entry.first == name; }))
        tuning.values.push_back({name.str(), text});
    };
    add("num_warps", utostr(request.numWarps));
    add("num_stages", utostr(request.numStages));
    if (candidate.config.numCTAs != 1)
      add("num_ctas", utostr(candidate.config.numCTAs));
    if (std::optional<unsigned> registers =
            request.maxRegisters ? request.maxRegisters : candidate.config.maxRegisters)
      add("maxnreg", utostr(*registers));
    if (candidate.warpSpecialize)
      add("warp_specialize", *candidate.warpSpecialize ? "True" : "False");
    if (candidate.useTensorMaps)
      add("tensor_maps", *candidate.useTensorMaps ? "True" : "False");
    return tuning;
  }

  /// The job, or its target for one that was made for an earlier target.
  void addJob(KernelJob one, const Candidate &candidate, const CompileRequest &request) {
    one.tuning = describe(*one.declaration, candidate, request);
    auto same = find_if(found, [&](const KernelJob &other) {
      return other.tuning == one.tuning && other.when.value_or("") == one.when.value_or("");
    });
    if (same != found.end()) {
      same->targets.push_back(request.target);
      return;
    }
    one.targets = {request.target};
    // Calls take the first of equals, so they stay in the order of the lists, also where an earlier target
    // had no use for this one.
    auto place = find_if(found, [&](const KernelJob &other) { return *other.config > *one.config; });
    found.insert(place, std::move(one));
  }

  const KernelJob &job;
  std::vector<KernelJob> &jobs;
  Diagnostics &diagnostics;
  /// What all that is found has in common.
  Diagnostics warnings;
  std::vector<KernelJob> found;
  std::set<std::string> shownRefusals;
};

} // namespace

/// Whether it is worth asking what a kernel's heuristics are.
static bool mayHaveHeuristics(const KernelJob &job) {
  if (!StringRef(job.sourcePath).ends_with(".py"))
    return false;
  auto buffer = readInputFile(job.sourcePath, largestText, /*isText=*/true);
  if (!buffer) {
    consumeError(buffer.takeError()); // The compiler will say it.
    return false;
  }
  return (*buffer)->getBuffer().contains("heuristics");
}

/// A job that tries nothing; a configuration has what else heuristics may ask for.
static bool addSettledJob(const KernelJob &job, std::vector<KernelJob> &jobs, Diagnostics &diagnostics) {
  std::vector<KernelJob> answered = {job};
  if (mayHaveHeuristics(job)) {
    const Target &target = job.targets.front();
    std::optional<KernelDeclaration> kernel =
        findKernel(job.sourcePath, job.kernel, {job.importPaths, job.definitions, target, job.compileLimit},
                   diagnostics);
    if (!kernel)
      return false;
    std::optional<CompileRequest> request;
    if (!kernel->heuristicConditions.empty()) {
      Diagnostics own(diagnostics);
      request = makeRequest(job, target, own);
    }
    // What is wrong with a job is said when it is compiled.
    if (request && (request->specialization.named || nameParameters(*kernel, request->specialization)) &&
        !splitByHeuristics(*kernel, *request, answered, diagnostics))
      return false;
  }
  append_range(jobs, answered);
  return true;
}

bool expandTuning(const KernelJob &job, std::vector<KernelJob> &jobs, Diagnostics &diagnostics) {
  if (job.tune.empty() && !job.autotune)
    return addSettledJob(job, jobs, diagnostics);
  if (job.config) {
    diagnostics.error(job.configRange,
                      "either a configuration of @triton.autotune is chosen, or several are to be tried");
    return false;
  }
  return Expansion(job, jobs, diagnostics).run();
}

} // namespace nereid
