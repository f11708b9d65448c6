// What results say may be anything (names of devices, reasons of failures), so all of it is escaped.
#include "aot/tuning/TuningPage.h"

#include "aot/tuning/TuningProgress.h"
#include "linker/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>

using namespace llvm;

namespace nereid {

using Key = std::map<std::string, int64_t>;

static std::string describeKey(const Key &key) {
  std::string text;
  for (const auto &[name, value] : key)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text.empty() ? "all calls" : text;
}

static std::string describeShare(double share) { return formatv("{0:f1} %", share * 100); }

namespace {

/// Of one variant's code for one target.
struct Series {
  std::string variant, target;
  bool operator<(const Series &other) const {
    return std::tie(variant, target) < std::tie(other.variant, other.target);
  }
};

/// What is known for one key.
struct Row {
  std::vector<const Measurement *> all;
  /// The fastest, and the one that the library runs by itself; null where there is none.
  const Measurement *chosen = nullptr, *byDefault = nullptr;

  /// By how much of the default's time the chosen one is faster.
  std::optional<double> getGain() const {
    if (!chosen || !byDefault || !byDefault->failed.empty() || byDefault->nanoseconds <= 0)
      return std::nullopt;
    return 1 - chosen->nanoseconds / byDefault->nanoseconds;
  }
};

/// One function on one device.
struct Section {
  std::map<Key, Row> rows;
  /// Numbered, for colours.
  std::map<Series, unsigned> series;
  std::set<std::string> drivers;
};

class PageWriter {
public:
  explicit PageWriter(ArrayRef<Measurement> measurements) : os(text) {
    for (const Measurement &m : measurements) {
      Section &section = sections[{m.device, m.function}];
      section.series.try_emplace({m.variant, m.target}, 0);
      if (!m.driver.empty())
        section.drivers.insert(m.driver);
      Row &row = section.rows[m.key];
      row.all.push_back(&m);
      if (m.isDefault)
        row.byDefault = &m;
      if (m.failed.empty() && (!row.chosen || m.nanoseconds < row.chosen->nanoseconds))
        row.chosen = &m;
    }
    for (auto &[name, section] : sections)
      for (auto [number, entry] : enumerate(section.series))
        entry.second = number;
  }

  std::string write() {
    os << "<h1>Tuning results</h1>\n";
    if (sections.empty())
      os << "<p>Nothing has been measured yet.</p>\n";
    writeContents();
    for (auto [number, entry] : enumerate(sections))
      writeSection(number, entry.first.first, entry.first.second, entry.second);
    return fillPage("Tuning results", "tuning_page.css", text);
  }

private:
  void writeContents() {
    if (sections.size() < 2)
      return;
    os << "<ul>\n";
    for (auto [number, entry] : enumerate(sections))
      os << "<li><a href=\"#s" << number << "\">" << escapeHTML(entry.first.second) << " on "
         << escapeHTML(entry.first.first) << "</a></li>\n";
    os << "</ul>\n";
  }

  void writeSection(size_t number, StringRef device, StringRef function, const Section &section) {
    os << "<section id=\"s" << number << "\">\n<h2>" << escapeHTML(function) << " <small>on "
       << escapeHTML(device);
    if (!section.drivers.empty())
      os << ", driver "
         << escapeHTML(join(std::vector<std::string>(section.drivers.begin(), section.drivers.end()), ", "));
    os << "</small></h2>\n";
    writeSummary(section);
    drawChart(section);
    writeLegend(section);
    writeChoices(section);
    writeAll(section);
    os << "</section>\n";
  }

  void writeSummary(const Section &section) {
    double logarithms = 0, most = 0;
    unsigned count = 0, better = 0;
    for (const auto &[key, row] : section.rows)
      if (std::optional<double> gain = row.getGain(); gain && *gain < 1) {
        logarithms += std::log(1 - *gain);
        most = std::max(most, *gain);
        better += *gain > 0;
        ++count;
      }
    os << "<p>" << section.rows.size() << (section.rows.size() == 1 ? " key, " : " keys, ")
       << section.series.size() << (section.series.size() == 1 ? " variant." : " variants.");
    if (count)
      os << " Choosing by these times takes " << describeShare(1 - std::exp(logarithms / count))
         << " off the time of the library's own choice on average, and up to " << describeShare(most)
         << "; for " << better << " of " << count << " keys another variant is faster.";
    os << "</p>\n";
  }

  static std::string colourOf(unsigned number) {
    // Neighbours far apart on the wheel.
    return formatv("hsl({0:f0} 65% {1}%)", std::fmod(number * 137.508, 360), number % 2 ? 42 : 55);
  }

  void drawChart(const Section &section) {
    double least = INFINITY, most = 0;
    for (const auto &[key, row] : section.rows)
      for (const Measurement *m : row.all)
        if (m->failed.empty() && m->nanoseconds > 0) {
          least = std::min(least, m->nanoseconds);
          most = std::max(most, m->nanoseconds);
        }
    if (!(least <= most))
      return;
    double step = std::max(16.0, std::min(90.0, 760.0 / static_cast<double>(section.rows.size())));
    // Names of keys slope down to the left: room for the longest, and for the first one.
    double longest = 0;
    for (const auto &[key, row] : section.rows)
      longest = std::max(longest, 6.2 * static_cast<double>(describeKey(key).size()));
    const double firstName = 6.2 * static_cast<double>(describeKey(section.rows.begin()->first).size());
    const double left = std::max(70.0, 0.77 * firstName - step / 2 + 8), top = 12, height = 280;
    double width = left + step * static_cast<double>(section.rows.size()) + 12;
    double low = std::log10(least) - 0.06, high = std::log10(most) + 0.06;
    auto placeX = [&](size_t column) { return left + step * (static_cast<double>(column) + 0.5); };
    auto placeY = [&](double time) { return top + height * (high - std::log10(time)) / (high - low); };
    os << formatv("<div class=\"scroll\"><svg role=\"img\" width=\"{0:f0}\" height=\"{1:f0}\" viewBox=\"0 0 "
                  "{0:f0} {1:f0}\">\n",
                  width, top + height + 30 + 0.65 * longest);
    for (int decade = static_cast<int>(std::floor(low)); decade <= high; ++decade)
      for (double digit : {1.0, 2.0, 5.0}) {
        double time = digit * std::pow(10, decade);
        if (std::log10(time) < low || std::log10(time) > high)
          continue;
        os << formatv("<line class=\"grid\" x1=\"{0:f0}\" x2=\"{1:f0}\" y1=\"{2:f1}\" y2=\"{2:f1}\"/><text "
                      "class=\"axis\" text-anchor=\"end\" x=\"{3:f0}\" y=\"{4:f1}\">{5}</text>\n",
                      left, width - 12, placeY(time), left - 6, placeY(time) + 4, describeTime(time));
      }
    for (auto [column, entry] : enumerate(section.rows))
      os << formatv("<text class=\"axis\" text-anchor=\"end\" transform=\"translate({0:f1} {1:f0}) "
                    "rotate(-40)\">{2}</text>\n",
                    placeX(column) + 4, top + height + 16, escapeHTML(describeKey(entry.first)));
    for (const auto &[series, number] : section.series)
      drawSeries(section, series, colourOf(number), placeX, placeY);
    drawMarks(section, placeX, placeY);
    os << "</svg></div>\n<p class=\"key\">○ the fastest, which is chosen; ◇ the library's own choice. The "
          "scale is "
          "logarithmic.</p>\n";
  }

  void drawSeries(const Section &section, const Series &series, const std::string &colour,
                  function_ref<double(size_t)> placeX, function_ref<double(double)> placeY) {
    std::string points, dots;
    for (auto [column, entry] : enumerate(section.rows))
      for (const Measurement *m : entry.second.all) {
        if (m->variant != series.variant || m->target != series.target || !m->failed.empty() ||
            m->nanoseconds <= 0)
          continue;
        double x = placeX(column), y = placeY(m->nanoseconds);
        points += formatv("{0:f1},{1:f1} ", x, y).str();
        dots +=
            formatv(
                "<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"3\"><title>{2}: {3}\n{4} for {5}</title></circle>",
                x, y, escapeHTML(describeKey(m->key)), describeTime(m->nanoseconds), escapeHTML(m->variant),
                escapeHTML(m->target))
                .str();
      }
    os << "<g fill=\"" << colour << "\"><polyline fill=\"none\" stroke=\"" << colour << "\" points=\""
       << points << "\"/>" << dots << "</g>\n";
  }

  void drawMarks(const Section &section, function_ref<double(size_t)> placeX,
                 function_ref<double(double)> placeY) {
    for (auto [column, entry] : enumerate(section.rows)) {
      const Row &row = entry.second;
      double x = placeX(column);
      if (row.chosen && row.chosen->nanoseconds > 0)
        os << formatv("<circle class=\"mark\" cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"7\"/>\n", x,
                      placeY(row.chosen->nanoseconds));
      if (row.byDefault && row.byDefault->failed.empty() && row.byDefault->nanoseconds > 0)
        os << formatv("<path class=\"mark\" d=\"M{0:f1} {1:f1}l7 7l-7 7l-7 -7z\"/>\n", x,
                      placeY(row.byDefault->nanoseconds) - 7);
    }
  }

  void writeLegend(const Section &section) {
    os << "<ul class=\"legend\">\n";
    for (const auto &[series, number] : section.series) {
      unsigned wins = count_if(section.rows, [&, &series = series](const auto &entry) {
        const Measurement *chosen = entry.second.chosen;
        return chosen && chosen->variant == series.variant && chosen->target == series.target;
      });
      os << "<li><span style=\"background:" << colourOf(number) << "\"></span>" << escapeHTML(series.variant)
         << " <small>" << escapeHTML(series.target) << ", chosen " << wins << (wins == 1 ? " time" : " times")
         << "</small></li>\n";
    }
    os << "</ul>\n";
  }

  void beginTable(const Section &section, ArrayRef<StringRef> columns) {
    os << "<div class=\"scroll\"><table><thead><tr>";
    for (const std::string &name : namesOf(section))
      os << "<th>" << escapeHTML(name) << "</th>";
    for (StringRef column : columns)
      os << "<th>" << column << "</th>";
    os << "</tr></thead><tbody>\n";
  }

  /// All names that keys have: those of an older file may have others.
  static std::set<std::string> namesOf(const Section &section) {
    std::set<std::string> names;
    for (const auto &[key, row] : section.rows)
      for (const auto &[name, value] : key)
        names.insert(name);
    return names;
  }

  void writeKey(const Section &section, const Key &key) {
    for (const std::string &name : namesOf(section)) {
      auto found = key.find(name);
      if (found == key.end())
        os << "<td></td>";
      else
        writeNumber(static_cast<double>(found->second), std::to_string(found->second));
    }
  }

  void writeNumber(double value, const Twine &shown) {
    os << "<td class=\"n\" data-v=\"" << formatv("{0:e9}", value) << "\">" << shown << "</td>";
  }
  void writeText(StringRef shown) { os << "<td>" << escapeHTML(shown) << "</td>"; }
  void writeTime(const Measurement *m) {
    if (m && m->failed.empty())
      writeNumber(m->nanoseconds, describeTime(m->nanoseconds));
    else
      os << "<td></td>";
  }

  void writeChoices(const Section &section) {
    os << "<h3>Choices</h3>\n";
    beginTable(section, {"chosen", "time", "the library's own choice", "its time", "gain"});
    for (const auto &[key, row] : section.rows) {
      os << "<tr>";
      writeKey(section, key);
      writeText(row.chosen ? row.chosen->variant : "none: all have failed");
      writeTime(row.chosen);
      writeText(row.byDefault ? row.byDefault->variant : "");
      writeTime(row.byDefault);
      if (std::optional<double> gain = row.getGain())
        writeNumber(*gain, describeShare(*gain));
      else
        os << "<td></td>";
      os << "</tr>\n";
    }
    os << "</tbody></table></div>\n";
  }

  void writeAll(const Section &section) {
    os << "<details><summary>All measurements</summary>\n";
    beginTable(section,
               {"variant", "target", "time", "over the fastest", "spread", "runs", "outliers", "", "day"});
    for (const auto &[key, row] : section.rows)
      for (const Measurement *m : row.all) {
        os << (m == row.chosen ? "<tr class=\"chosen\">" : "<tr>");
        writeKey(section, key);
        writeText(m->variant);
        writeText(m->target);
        writeTime(m);
        if (m->failed.empty() && row.chosen && row.chosen->nanoseconds > 0) {
          double ratio = m->nanoseconds / row.chosen->nanoseconds;
          writeNumber(ratio, formatv("{0:f2}", ratio).str());
          writeNumber(m->spread, describeShare(m->spread));
          writeNumber(m->runs, utostr(m->runs));
          writeNumber(m->outliers, utostr(m->outliers));
        } else {
          os << "<td></td><td></td><td></td><td></td>";
        }
        writeText(!m->failed.empty() ? "failed: " + m->failed
                  : m == row.chosen  ? (m->isDefault ? "chosen, also by itself" : "chosen")
                                     : (m->isDefault ? "the library's own choice" : ""));
        writeText(m->date);
        os << "</tr>\n";
      }
    os << "</tbody></table></div></details>\n";
  }

  std::string text;
  raw_string_ostream os;
  std::map<std::pair<std::string, std::string>, Section> sections;
};

} // namespace

std::string drawTuningPage(ArrayRef<Measurement> measurements) { return PageWriter(measurements).write(); }

} // namespace nereid
