#include "hunch/study/efficiency_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "hunch/study/canvas.hpp"

namespace hunch {
namespace {

constexpr Page page{960, 460, 2};
constexpr Box frame{70, 62, 870, 340};
constexpr double lowest = 1e-3;  // effective draws per evaluation
constexpr Colour ink{0.15, 0.15, 0.2};
constexpr Colour faint{0.88, 0.88, 0.9};
constexpr Colour white{1, 1, 1};
constexpr Lettering small_words{12, ink};

// Distinguishable by lightness as well as by hue; used again from the start when there are more methods.
constexpr std::array<Colour, 10> palette{{{0.62, 0.62, 0.65},
                                          {0.27, 0.51, 0.71},
                                          {0.80, 0.73, 0.45},
                                          {0.84, 0.45, 0.15},
                                          {0.17, 0.60, 0.36},
                                          {0.72, 0.11, 0.20},
                                          {0.45, 0.30, 0.62},
                                          {0.10, 0.10, 0.12},
                                          {0.86, 0.52, 0.68},
                                          {0.35, 0.70, 0.75}}};

template <typename Name>
std::vector<std::string> names_in_order(const std::vector<EfficiencySummary>& summaries, const Name& name) {
  std::vector<std::string> names;
  for (const EfficiencySummary& summary : summaries)
    if (std::find(names.begin(), names.end(), name(summary)) == names.end()) names.push_back(name(summary));
  return names;
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

class Plot {
 public:
  Plot(Canvas& canvas, const std::vector<EfficiencySummary>& summaries)
      : canvas_(canvas),
        summaries_(summaries),
        targets_(names_in_order(summaries, [](const auto& s) { return s.target; })),
        methods_(names_in_order(summaries, [](const auto& s) { return s.method; })) {
    for (const EfficiencySummary& summary : summaries)
      while (highest_ < summary.most_ess_per_evaluation && highest_ < 1e6) highest_ *= 10;
  }

  void draw() {
    draw_axis();
    draw_legend();
    for (std::size_t t = 0; t < targets_.size(); ++t) draw_target(t);
    for (const EfficiencySummary& summary : summaries_) draw_method(summary);
  }

 private:
  double target_width() const { return frame.width / static_cast<double>(targets_.size()); }
  double height_of(double value) const {
    const double share = std::log(std::clamp(value, lowest, highest_) / lowest) / std::log(highest_ / lowest);
    return frame.bottom() - share * frame.height;
  }
  Colour colour_of(std::size_t method) const { return palette[method % palette.size()]; }

  void draw_axis() {
    for (int tick = 0;; ++tick) {
      const double value = lowest * std::array{1, 2, 5}[tick % 3] * std::pow(10.0, tick / 3);
      if (value > highest_ * 1.001) break;
      const double y = height_of(value);
      canvas_.line({{frame.left, y}, {frame.right(), y}}, {faint, 1});
      canvas_.text({frame.left - 8, y + 4}, fmt::format("{:.3g}", value),
                   {12, ink, Weight::normal, Align::right});
    }
    canvas_.text({20, frame.top + frame.height / 2}, "effective draws per evaluation",
                 {13, ink, Weight::normal, Align::centre, Turn::upwards});
    canvas_.text(
        {frame.left, 24},
        "What an evaluation buys, the first ones included: smallest ESS over parameters, values and squares",
        {13, ink, Weight::bold});
  }

  void draw_legend() {
    double x = frame.left;
    for (std::size_t m = 0; m < methods_.size(); ++m) {
      canvas_.disc({x + 5, 44}, 5, colour_of(m), {colour_of(m), 1});
      canvas_.text({x + 15, 48}, methods_[m], small_words);
      x += 34 + canvas_.width_of(methods_[m], small_words);
    }
  }

  void draw_target(std::size_t t) {
    const double left = frame.left + static_cast<double>(t) * target_width();
    if (t > 0) canvas_.line({{left, frame.top}, {left, frame.bottom()}}, {faint, 1, Dash::dashed});
    canvas_.text({left + target_width() / 2, frame.bottom() + 22}, targets_[t],
                 {12, ink, Weight::bold, Align::centre});
  }

  void draw_method(const EfficiencySummary& summary) {
    const std::size_t m = place_of(methods_, summary.method);
    const double share = (static_cast<double>(m) + 1) / (static_cast<double>(methods_.size()) + 1);
    const double x =
        frame.left + (static_cast<double>(place_of(targets_, summary.target)) + share) * target_width();
    const Colour colour = colour_of(m);
    canvas_.line(
        {{x, height_of(summary.least_ess_per_evaluation)}, {x, height_of(summary.most_ess_per_evaluation)}},
        {colour, 2});
    const bool all_failed = summary.failed == summary.runs;
    canvas_.disc({x, height_of(summary.ess_per_evaluation)}, 5, all_failed ? white : colour, {colour, 2});
  }

  Canvas& canvas_;
  const std::vector<EfficiencySummary>& summaries_;
  std::vector<std::string> targets_;
  std::vector<std::string> methods_;
  double highest_ = 2;
};

void draw_plot(Canvas& canvas, const std::vector<EfficiencySummary>& summaries) {
  Plot(canvas, summaries).draw();
  canvas.text(
      {frame.left, page.height - 14.0},
      "dot: mean over the replicates; line: their range; hollow: every replicate failed (a mean off by more "
      "than 0.5 sd, or an ESS under 50)",
      {11, ink});
}

}  // namespace

std::string efficiency_svg(const std::vector<EfficiencySummary>& summaries) {
  return svg_bytes(page, [&](Canvas& canvas) { draw_plot(canvas, summaries); });
}

std::string efficiency_png(const std::vector<EfficiencySummary>& summaries) {
  return png_bytes(page, [&](Canvas& canvas) { draw_plot(canvas, summaries); });
}

}  // namespace hunch
