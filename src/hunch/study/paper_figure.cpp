#include "hunch/study/paper_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "hunch/draws/whole_files.hpp"
#include "hunch/sampler/two_stage.hpp"
#include "hunch/study/canvas.hpp"
#include "hunch/surrogate/emulator.hpp"

namespace hunch {

namespace {

constexpr std::array<Index, 6> stage_evaluations{3, 4, 6, 9, 15, 30};
constexpr double chain_start = 1.0;
constexpr double walk_scale = 2.4;
constexpr double grid_reach = 4.0;
constexpr Index grid_size = 321;
// A chain accepts every second or third proposal; one that goes this long without an evaluation is stuck.
constexpr std::uint64_t most_iterations = 100'000;

constexpr ScreenOptions paper_screen{.screen = Screen::paper, .floor = 0};
constexpr ScreenOptions no_screen{.screen = Screen::none, .floor = 0};

double log_density(double theta) {
  return -0.5 * theta * theta;
}

// A flat prior: the log-likelihood is all there is.
State state_at(double theta) {
  return {Vector::Constant(1, theta), {0.0, Vector()}, {log_density(theta), std::nullopt}};
}

// log alpha_2 of a move whose stage 1 is known; without a screen it is plain MH's acceptance.
double log_alpha_2(const State& from, const Survivor& survivor, const State& to, const Proposal& walk,
                   const ScreenOptions& options) {
  return *settle(from, survivor, to.exact, walk, options).info.log_alpha_2;
}

// GP-MH, one evaluation at a time.
class LearningRun {
 public:
  explicit LearningRun(std::uint64_t seed);

  void evaluate_once_more();
  FigureStage stage() const;
  Index evaluations() const { return static_cast<Index>(values_.size()); }

 private:
  void learn(const State& evaluated);

  std::uint64_t seed_;
  Proposal walk_ = RandomWalk{Vector::Constant(1, walk_scale)};
  Emulator emulator_;
  State state_ = state_at(chain_start);
  std::uint64_t iteration_ = 0;
  std::vector<double> points_, values_;
};

// Initial evaluations as in a run: the start, and draws of the proposal around it.
LearningRun::LearningRun(std::uint64_t seed)
    : seed_(seed), emulator_(1, {.tolerance = 0, .first_fit = stage_evaluations.front()}) {
  learn(state_);
  for (std::uint64_t i = 0; evaluations() < stage_evaluations.front(); ++i) {
    Rng rng({seed_, 0, i, Purpose::initial_points});
    learn(state_at(propose(walk_, state_, rng)[0]));
  }
}

void LearningRun::learn(const State& evaluated) {
  points_.push_back(evaluated.position[0]);
  values_.push_back(evaluated.exact.log_likelihood);
  // Fitted once, as soon as it can be (EmulatorOptions::first_fit), then fixed.
  emulator_.learn({{evaluated.position, evaluated.exact.log_likelihood, std::nullopt, 0.0}},
                  emulator_.covariance() ? Refit::forbidden : Refit::allowed);
}

void LearningRun::evaluate_once_more() {
  const auto beliefs = [this](const Vector& x, const Vector& y) { return emulator_.pair(x, y); };
  const auto flat = [](const Vector&) { return PriorAt{0.0, Vector()}; };
  while (iteration_ < most_iterations) {
    Rng rng({seed_, 0, iteration_++, Purpose::step});
    const auto screened = screen(state_, walk_, paper_screen, beliefs, flat, rng);
    const auto* survivor = std::get_if<Survivor>(&screened);
    if (!survivor) continue;
    const State evaluated = state_at(survivor->position[0]);
    state_ = settle(state_, *survivor, evaluated.exact, walk_, paper_screen).state;
    learn(evaluated);
    return;
  }
  throw InputError("seed " + std::to_string(seed_) + ": the chain got stuck, choose another seed");
}

FigureStage LearningRun::stage() const {
  FigureStage stage;
  stage.evaluations = evaluations();
  stage.current = chain_start;
  stage.points = Eigen::Map<const Vector>(points_.data(), evaluations());
  stage.values = Eigen::Map<const Vector>(values_.data(), evaluations());
  stage.grid = Vector::LinSpaced(grid_size, -grid_reach, grid_reach);
  for (Vector* column :
       {&stage.exact, &stage.mean, &stage.sd, &stage.alpha_1, &stage.alpha_1_limit, &stage.alpha_2})
    column->resize(grid_size);

  const State from = state_at(chain_start);
  for (Index i = 0; i < grid_size; ++i) {
    const State to = state_at(stage.grid[i]);
    const PairBelief belief = emulator_.pair(from.position, to.position);
    stage.exact[i] = to.exact.log_likelihood;
    stage.mean[i] = belief.mean(from.exact.log_likelihood)[1];
    stage.sd[i] = std::sqrt(belief.covariance(1, 1));

    Survivor survivor{to.position, to.prior, belief, 0.0, 0.0};
    survivor.log_alpha_1 = log_alpha_1(paper_screen, walk_, belief, {from.position, from.prior, End::Side::x},
                                       {to.position, to.prior, End::Side::y},
                                       log_proposal(walk_, from, to.position), from.exact.log_likelihood);
    stage.alpha_1[i] = std::exp(survivor.log_alpha_1);
    stage.alpha_2[i] = std::exp(log_alpha_2(from, survivor, to, walk_, paper_screen));
    const Survivor unscreened{to.position, to.prior, std::nullopt, 0.0, 0.0};
    stage.alpha_1_limit[i] = std::exp(log_alpha_2(from, unscreened, to, walk_, no_screen));
  }
  return stage;
}

// Colours that stay apart for colour-blind readers, and in grey by their brightness and dashes.
constexpr Colour ink{0.13, 0.13, 0.13}, pale_ink{0.38, 0.38, 0.38}, hairline{0.89, 0.89, 0.89},
    white{1, 1, 1};
constexpr Colour blue{0.0, 0.447, 0.698}, vermilion{0.835, 0.369, 0.0}, green{0.0, 0.62, 0.451};
constexpr Colour band_colour{0.0, 0.447, 0.698, 0.2};

constexpr Page page{1200, 800, 2};
constexpr Stroke exact_line{ink, 1.3, Dash::dashed}, mean_line{blue, 2.2};
constexpr Stroke alpha_1_line{vermilion, 2.4}, limit_line{ink, 1.3, Dash::dashed}, alpha_2_line{green, 1.8};
constexpr Stroke current_line{pale_ink, 1, Dash::dotted}, frame_line{Colour{0.6, 0.6, 0.6}, 0.8};
constexpr Stroke grid_line{hairline, 0.8}, rim{white, 1};
constexpr double dot_radius = 3.6;

// A box on the page with axes.
struct Frame {
  Box box;
  double x_low, x_high, y_low, y_high;

  Spot place(double x, double y) const {
    const double margin = y_high - y_low;  // what lies far outside is cut off anyway
    const double near = std::clamp(y, y_low - margin, y_high + margin);
    return {box.left + (x - x_low) / (x_high - x_low) * box.width,
            box.bottom() - (near - y_low) / (y_high - y_low) * box.height};
  }
  std::vector<Spot> place(const Vector& xs, const Vector& ys) const {
    std::vector<Spot> spots;
    for (Index i = 0; i < xs.size(); ++i) spots.push_back(place(xs[i], ys[i]));
    return spots;
  }
};

std::string number(double value, int decimals) {
  return (value < 0 ? "\u2212" : "") + fmt::format("{:.{}f}", std::abs(value), decimals);
}

void draw_outline(Canvas& canvas, const Box& box, const Stroke& stroke) {
  canvas.line({{box.left, box.top},
               {box.right(), box.top},
               {box.right(), box.bottom()},
               {box.left, box.bottom()},
               {box.left, box.top}},
              stroke);
}

void draw_axes(Canvas& canvas, const Frame& frame, const std::vector<double>& y_ticks, int decimals) {
  for (double x = frame.x_low; x <= frame.x_high; x += 2)
    canvas.line({frame.place(x, frame.y_low), frame.place(x, frame.y_high)}, grid_line);
  for (double y : y_ticks) {
    canvas.line({frame.place(frame.x_low, y), frame.place(frame.x_high, y)}, grid_line);
    canvas.text({frame.box.left - 6, frame.place(0, y).y + 3.6}, number(y, decimals),
                {10, pale_ink, Weight::normal, Align::right});
  }
}

// An evaluation beyond the axes is a small arrowhead at the edge it lies behind.
void draw_evaluation(Canvas& canvas, const Frame& frame, double x, double y, const Colour& colour) {
  if (x >= frame.x_low && x <= frame.x_high) {
    canvas.disc(frame.place(x, y), dot_radius, colour, rim);
    return;
  }
  const double side = x < 0 ? -1 : 1;
  const double tip = (x < 0 ? frame.box.left : frame.box.right()) - side * 3;
  const double level = std::min(frame.place(0, y).y, frame.box.bottom() - 7);
  canvas.area({{tip, level}, {tip - side * 7, level - 4}, {tip - side * 7, level + 4}}, colour);
}

void draw_density(Canvas& canvas, const Frame& frame, const FigureStage& stage) {
  draw_axes(canvas, frame, {-8, -4, 0}, 0);
  canvas.within(frame.box, [&] {
    std::vector<Spot> band = frame.place(stage.grid, stage.mean + 2 * stage.sd);
    const std::vector<Spot> lower = frame.place(stage.grid, stage.mean - 2 * stage.sd);
    band.insert(band.end(), lower.rbegin(), lower.rend());
    canvas.area(band, band_colour);
    canvas.line({frame.place(stage.current, frame.y_low), frame.place(stage.current, frame.y_high)},
                current_line);
    canvas.line(frame.place(stage.grid, stage.mean), mean_line);
    canvas.line(frame.place(stage.grid, stage.exact), exact_line);
    for (Index i = 0; i < stage.points.size(); ++i)
      draw_evaluation(canvas, frame, stage.points[i], stage.values[i], ink);
    draw_evaluation(canvas, frame, stage.current, stage.values[0], vermilion);
  });
  draw_outline(canvas, frame.box, frame_line);
}

void draw_acceptance(Canvas& canvas, const Frame& frame, const FigureStage& stage) {
  draw_axes(canvas, frame, {0, 0.5, 1}, 1);
  canvas.within(frame.box, [&] {
    canvas.line({frame.place(stage.current, frame.y_low), frame.place(stage.current, frame.y_high)},
                current_line);
    canvas.line(frame.place(stage.grid, stage.alpha_2), alpha_2_line);
    canvas.line(frame.place(stage.grid, stage.alpha_1), alpha_1_line);
    canvas.line(frame.place(stage.grid, stage.alpha_1_limit), limit_line);
  });
  draw_outline(canvas, frame.box, frame_line);
  for (double x = frame.x_low; x <= frame.x_high; x += 2)
    canvas.text({frame.place(x, 0).x, frame.box.bottom() + 14}, number(x, 0),
                {10, pale_ink, Weight::normal, Align::centre});
}

// The stage's two frames, one above the other, in a box of its own.
void draw_stage(Canvas& canvas, const Box& box, const FigureStage& stage, char letter) {
  const double gap = 8, share = 0.62;
  const Box upper{box.left, box.top, box.width, (box.height - gap) * share};
  const Box lower{box.left, upper.bottom() + gap, box.width, (box.height - gap) * (1 - share)};
  const double low = stage.grid[0], high = stage.grid[stage.grid.size() - 1];
  canvas.text({box.left, box.top - 8}, fmt::format("({})  evaluations: {}", letter, stage.evaluations),
              {12.5, ink, Weight::bold});
  draw_density(canvas, {upper, low, high, -10, 2}, stage);
  draw_acceptance(canvas, {lower, low, high, -0.06, 1.1}, stage);
  const Lettering sideways{11, pale_ink, Weight::normal, Align::centre, Turn::upwards};
  if (letter == 'a' || letter == 'd') {
    canvas.text({box.left - 32, upper.top + upper.height / 2}, "log density at \u03b8", sideways);
    canvas.text({box.left - 32, lower.top + lower.height / 2}, "acceptance", sideways);
  }
  canvas.text({box.left + box.width / 2, box.bottom() + 29}, "\u03b8 (above), proposal \u03b8* (below)",
              {11, pale_ink, Weight::normal, Align::centre});
}

struct LegendEntry {
  std::string words;
  double key_width;
  std::function<void(Canvas&, const Spot&)> draw_key;  // within key_width to the right of the spot
};
constexpr double line_key_width = 26, dot_key_width = 2 * dot_radius;

LegendEntry line_entry(const std::string& words, const Stroke& stroke) {
  return {words, line_key_width, [stroke](Canvas& canvas, const Spot& at) {
            canvas.line({at, {at.x + line_key_width, at.y}}, stroke);
          }};
}

LegendEntry dot_entry(const std::string& words, const Colour& colour) {
  return {words, dot_key_width, [colour](Canvas& canvas, const Spot& at) {
            canvas.disc({at.x + dot_radius, at.y}, dot_radius, colour, rim);
          }};
}

LegendEntry band_entry(const std::string& words, const Colour& colour) {
  return {words, line_key_width, [colour](Canvas& canvas, const Spot& at) {
            const double right = at.x + line_key_width, top = at.y - 6, bottom = at.y + 6;
            canvas.area({{at.x, top}, {right, top}, {right, bottom}, {at.x, bottom}}, colour);
          }};
}

void draw_legend(Canvas& canvas, Spot at) {
  const std::vector<LegendEntry> entries{line_entry("log \u03c0, exact", exact_line),
                                         line_entry("surrogate\u2019s mean", mean_line),
                                         band_entry("\u00b12 sd", band_colour),
                                         dot_entry("evaluated (\u25b8 off the axes)", ink),
                                         dot_entry("current \u03b8", vermilion),
                                         line_entry("\u03b1\u2081, stage 1", alpha_1_line),
                                         line_entry("limit of \u03b1\u2081 (plain MH)", limit_line),
                                         line_entry("\u03b1\u2082, stage 2", alpha_2_line)};
  const Lettering lettering{11.5, ink};
  const double space = 7, between = 25;
  for (const LegendEntry& entry : entries) {
    entry.draw_key(canvas, {at.x, at.y - 4});
    canvas.text({at.x + entry.key_width + space, at.y}, entry.words, lettering);
    at.x += entry.key_width + space + canvas.width_of(entry.words, lettering) + between;
  }
}

void draw_figure(Canvas& canvas, const std::vector<FigureStage>& stages) {
  const double left = 64, column = 384, row = 336, first_top = 146;
  canvas.text({left, 34},
              "A surrogate learns log \u03c0(\u03b8) = \u2212\u03b8\u00b2/2 while GP-MH samples it",
              {18, ink, Weight::bold});
  canvas.text({left, 58},
              "\u03b1\u2081 tends to Metropolis\u2013Hastings\u2019 acceptance, 1 \u2227 "
              "\u03c0(\u03b8*)/\u03c0(\u03b8), "
              "and \u03b1\u2082 to 1; not \u03b1\u2081 to \u03b1\u2082, as the caption of the paper\u2019s "
              "Figure 1 has it.",
              {12.5, pale_ink});
  canvas.text(
      {left, 77},
      fmt::format(
          "One run: random walk of scale {} from \u03b8 = {}; squared-exponential covariance, "
          "fitted to the first {} evaluations and fixed from then on. Lower panels: proposals \u03b8* from "
          "\u03b8 = {}.",
          walk_scale, chain_start, stage_evaluations.front(), chain_start),
      {11.5, pale_ink});
  draw_legend(canvas, {left, 106});
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto across = static_cast<double>(i % 3), down = static_cast<double>(i / 3);
    const Box box{left + across * column, first_top + down * row, 346, 266};
    draw_stage(canvas, box, stages[i], static_cast<char>('a' + i));
  }
}

void check_stages(const std::vector<FigureStage>& stages) {
  if (stages.size() != stage_evaluations.size())
    throw InputError(
        fmt::format("the figure: got {} stages, expected {}", stages.size(), stage_evaluations.size()));
}

}  // namespace

std::vector<FigureStage> figure_stages(std::uint64_t seed) {
  LearningRun run(seed);
  std::vector<FigureStage> stages;
  for (Index wanted : stage_evaluations) {
    while (run.evaluations() < wanted) run.evaluate_once_more();
    stages.push_back(run.stage());
  }
  return stages;
}

namespace {

void write_whole(const std::string& path, const std::string& bytes) {
  WholeFiles file(Overwrite::yes);
  file.write(path, bytes);
  file.publish();
}

}  // namespace

void draw_figure_svg(const std::vector<FigureStage>& stages, const std::string& path) {
  check_stages(stages);
  write_whole(path, svg_bytes(page, [&](Canvas& canvas) { draw_figure(canvas, stages); }));
}

void draw_figure_png(const std::vector<FigureStage>& stages, const std::string& path) {
  check_stages(stages);
  write_whole(path, png_bytes(page, [&](Canvas& canvas) { draw_figure(canvas, stages); }));
}

}  // namespace hunch
