// Objects of an earlier state of the manifest, left in the folder, are parts of another build, which is not
// complete.
#include "linker/Shares.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace llvm;

namespace nereid {

namespace {

/// What is there of one build.
struct Build {
  /// Where its parts stand among the objects.
  std::vector<size_t> places;
  std::set<uint64_t> variants;
  /// Of a shard the variants that are there, and how many it has.
  struct Part {
    std::set<uint64_t> variants;
    uint64_t all = 0;
  };
  /// By the shard's number and how many shards there are.
  std::map<std::pair<uint64_t, uint64_t>, Part> shards;
};

} // namespace

/// `1, 2, 3 and 7`, of the first twenty.
static std::string list(ArrayRef<std::string> words) {
  constexpr size_t most = 20;
  if (words.size() > most)
    return join(words.take_front(most), ", ") + " and " + utostr(words.size() - most) + " more";
  if (words.size() < 2)
    return join(words, "");
  return join(words.drop_back(), ", ") + " and " + words.back();
}

/// What is missing of a build, in words; nothing if all is there.
static std::string describeMissing(const Build &build, const KernelObject &first) {
  const BuildShare &share = *first.share;
  uint64_t missing = share.variants - std::min<uint64_t>(build.variants.size(), share.variants);
  if (missing == 0)
    return "";
  std::string text = utostr(missing) + " of " + utostr(share.variants) + " variants are missing";
  // Which shards they are in is known if all parts come from the same division, and no shard is empty.
  bool isOneDivision =
      all_of(build.shards, [&](const auto &entry) { return entry.first.second == share.shards; });
  if (!isOneDivision || share.shards > share.variants)
    return text;
  std::vector<std::string> absent;
  std::string incomplete;
  for (uint64_t shard = 1; shard <= share.shards; ++shard) {
    auto it = build.shards.find({shard, share.shards});
    if (it == build.shards.end())
      absent.push_back(utostr(shard));
    else if (it->second.variants.size() < it->second.all)
      incomplete += "; of shard " + utostr(shard) + " of " + utostr(share.shards) + " there are " +
                    utostr(it->second.variants.size()) + " of " + utostr(it->second.all);
  }
  if (!absent.empty())
    text += ": shard" + std::string(absent.size() > 1 ? "s " : " ") + list(absent) + " of " +
            utostr(share.shards);
  text += incomplete;
  return text;
}

bool bringSharesTogether(std::vector<KernelObject> &objects, bool mayLack, Diagnostics &diagnostics) {
  std::map<std::string, Build> builds;
  std::vector<std::string> order;
  for (auto [place, object] : enumerate(objects)) {
    if (!object.share)
      continue;
    auto [it, isNew] = builds.try_emplace(object.share->build);
    if (isNew)
      order.push_back(object.share->build);
    Build &build = it->second;
    const KernelObject *first = build.places.empty() ? &object : &objects[build.places.front()];
    if (object.share->variants != first->share->variants) {
      diagnostics.error("'" + object.path + "' and '" + first->path +
                        "' do not agree on how many variants their build has");
      return false;
    }
    build.places.push_back(place);
    build.variants.insert(object.share->variant);
    Build::Part &part = build.shards[{object.share->shard, object.share->shards}];
    part.variants.insert(object.share->variant);
    part.all = object.share->variantsOfShard;
  }

  bool ok = true;
  for (const std::string &name : order) {
    const Build &build = builds[name];
    const KernelObject &first = objects[build.places.front()];
    std::string missing = describeMissing(build, first);
    if (missing.empty())
      continue;
    std::string text = "of the build that '" + first.path + "' is a part of, " + missing;
    if (order.size() > 1) {
      const std::string &other = name == order.front() ? order.back() : order.front();
      text += "; '" + objects[builds[other].places.front()].path +
              "' is of another build, so that the manifest, a source or an option was another one: compile "
              "all shards from the same, and take away what is left of others";
    } else if (!mayLack) {
      text += "; --allow-missing links what is there";
    }
    if (mayLack) {
      diagnostics.warning(text);
      continue;
    }
    diagnostics.error(text);
    ok = false;
  }

  std::vector<KernelObject> sorted(objects.size());
  for (const auto &[name, build] : builds) {
    // By variant; one variant may be several objects, which stay in their order.
    std::vector<size_t> from = build.places;
    llvm::sort(from, [&](size_t left, size_t right) {
      uint64_t first = objects[left].share->variant, second = objects[right].share->variant;
      return first != second ? first < second : left < right;
    });
    for (auto [to, place] : zip_equal(build.places, from))
      sorted[to] = std::move(objects[place]);
  }
  for (auto [object, into] : zip_equal(objects, sorted))
    if (!object.share)
      into = std::move(object);
  objects = std::move(sorted);
  return ok;
}

} // namespace nereid
