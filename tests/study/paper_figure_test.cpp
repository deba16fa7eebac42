#include "hunch/study/paper_figure.hpp"

#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "hunch/study/canvas.hpp"
#include "hunch/surrogate/emulator.hpp"

namespace hunch {
namespace {

namespace fs = std::filesystem;

const std::vector<FigureStage>& stages() {
  static const std::vector<FigureStage> of_the_figure = figure_stages(figure_seed);
  return of_the_figure;
}

// The largest |column| over theta in [-3, 3].
double largest(const FigureStage& stage, const Vector& column) {
  return (stage.grid.array().abs() <= 3 + 1e-12).select(column.array().abs(), 0.0).maxCoeff();
}

double band_width(const FigureStage& stage) {
  const auto inside = (stage.grid.array().abs() <= 3 + 1e-12).cast<double>();
  return (4 * stage.sd.array() * inside).sum() / inside.sum();
}

// A column at any theta within the grid, linear between neighbours.
double at(const FigureStage& stage, const Vector& column, double theta) {
  const double step = stage.grid[1] - stage.grid[0];
  const auto i = std::min<Index>(static_cast<Index>((theta - stage.grid[0]) / step), stage.grid.size() - 2);
  const double share = (theta - stage.grid[i]) / step;
  return (1 - share) * column[i] + share * column[i + 1];
}

// An empty folder that goes when the test ends.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "hunch_figure_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  auto entries() const { return std::distance(fs::directory_iterator(path_), fs::directory_iterator()); }

 private:
  fs::path path_;
};

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto i = text.find(word); i != std::string::npos; i = text.find(word, i + 1)) ++count;
  return count;
}

TEST(PaperFigure, EveryStageGoesOnFromTheOneBefore) {
  ASSERT_EQ(stages().size(), 6u);
  for (std::size_t k = 0; k < stages().size(); ++k) {
    const FigureStage& stage = stages()[k];
    ASSERT_EQ(stage.points.size(), stage.evaluations);
    EXPECT_EQ(stage.points[0], stage.current);
    EXPECT_EQ(stage.values, Vector(-0.5 * stage.points.array().square()));
    if (k == 0) continue;
    const FigureStage& before = stages()[k - 1];
    EXPECT_GT(stage.evaluations, before.evaluations);
    EXPECT_EQ(stage.points.head(before.evaluations), before.points);
  }
}

TEST(PaperFigure, SeedAloneDecidesTheRun) {
  const std::vector<FigureStage> again = figure_stages(figure_seed), other = figure_stages(figure_seed + 1);
  EXPECT_EQ(again.back().points, stages().back().points);
  EXPECT_EQ(again.back().alpha_2, stages().back().alpha_2);
  EXPECT_NE(other.back().points, stages().back().points);
}

TEST(PaperFigure, BandNeverWidensAndClosesAtLast) {
  // Proposition 3, at every grid point: the covariance is fixed, so an evaluation cannot add variance.
  for (std::size_t k = 1; k < stages().size(); ++k)
    EXPECT_LE((stages()[k].sd - stages()[k - 1].sd).maxCoeff(), 1e-6) << "stage " << k;
  EXPECT_GT(band_width(stages().front()), 2);
  EXPECT_LT(band_width(stages().back()), 0.01);
}

TEST(PaperFigure, MeanPassesThroughEveryEvaluation) {
  // Between grid points the step h = 0.025 and curvatures of at most 3 leave h^2 / 8 * 3 = 2.4e-4. The
  // process refuses a point whose sd is below 1e-4 signal sds already (Conditioning::admission_floor),
  // here 1.05e-3 (signal variance 110): such a point may lie 3 sd off, one in its own right only as far as
  // the jitter lets it.
  const double between_grid_points = 2.4e-4, refused = 3 * 1.05e-3;
  for (const FigureStage& stage : stages()) {
    const double reach = stage.grid[stage.grid.size() - 1];
    for (Index i = 0; i < stage.points.size(); ++i) {
      if (std::abs(stage.points[i]) >= reach) continue;
      EXPECT_NEAR(at(stage, stage.mean, stage.points[i]), stage.values[i],
                  between_grid_points + (i < 3 ? 0 : refused))
          << stage.evaluations << " evaluations, theta = " << stage.points[i];
    }
  }
}

TEST(PaperFigure, Alpha1IsThePapersEquationOfWhatIsDrawnAboveIt) {
  // `current` is on the grid. The surrogate's own value stands there too: jitter keeps it from log
  // pi(current) by more than rounding.
  for (const FigureStage& stage : stages()) {
    const Vector log_flow = stage.mean.array() + 0.5 * stage.sd.array().square();
    const Vector log_ratio = log_flow.array() - at(stage, log_flow, stage.current);
    const Vector expected = log_ratio.array().min(0.0).exp();
    EXPECT_LT((stage.alpha_1 - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(PaperFigure, Alpha2WeighsTheReverseScreenWithItsOwnPriorMean) {
  // Paper eq. (7) by hand: from theta* the same screen has the prior mean log pi(theta*).
  for (const FigureStage& stage : stages()) {
    Emulator emulator(1, {.tolerance = 0});
    for (Index i = 0; i < stage.evaluations; ++i)
      emulator.learn({{stage.points.segment(i, 1), stage.values[i], std::nullopt, 0.0}},
                     i < 3 ? Refit::allowed : Refit::forbidden);
    const double log_x = -0.5 * stage.current * stage.current;
    for (Index i = 0; i < stage.grid.size(); ++i) {
      const double log_y = stage.exact[i];
      const PairBelief belief = emulator.pair(Vector::Constant(1, stage.current), stage.grid.segment(i, 1));
      const Vector half_variances = 0.5 * belief.covariance.diagonal();
      const Vector there = belief.mean(log_x) + half_variances, back = belief.mean(log_y) + half_variances;
      const double forward = std::min(0.0, there[1] - there[0]), reverse = std::min(0.0, back[0] - back[1]);
      const double alpha_2 = std::exp(std::min(0.0, log_y + reverse - log_x - forward));
      ASSERT_NEAR(stage.alpha_2[i], alpha_2, 1e-12) << stage.evaluations << ", " << stage.grid[i];
    }
  }
}

TEST(PaperFigure, LimitIsPlainMetropolisHastings) {
  for (const FigureStage& stage : stages())
    for (Index i = 0; i < stage.grid.size(); ++i) {
      const double ratio = std::exp(0.5 * (stage.current * stage.current - stage.grid[i] * stage.grid[i]));
      ASSERT_NEAR(stage.alpha_1_limit[i], std::min(1.0, ratio), 1e-14);
    }
}

TEST(PaperFigure, TwoStagesNeverAcceptMoreThanOne) {
  // alpha_1 alpha_2 = min(alpha_1(x, y), r alpha_1(y, x)) <= 1 ^ r, however poor the surrogate.
  for (const FigureStage& stage : stages()) {
    const Vector both = stage.alpha_1.cwiseProduct(stage.alpha_2);
    EXPECT_LE((both - stage.alpha_1_limit).maxCoeff(), 1e-12);
  }
}

TEST(PaperFigure, Alpha1TendsToMetropolisHastingsAndAlpha2ToOne) {
  const FigureStage &first = stages().front(), &last = stages().back();
  EXPECT_GT(largest(first, first.alpha_1 - first.alpha_1_limit), 0.5);
  EXPECT_LT(largest(last, last.alpha_1 - last.alpha_1_limit), 0.01);
  EXPECT_GT(largest(first, Vector(1 - first.alpha_2.array())), 0.5);
  EXPECT_LT(largest(last, Vector(1 - last.alpha_2.array())), 0.02);
  // The paper's caption has alpha_1 tend to alpha_2: it does not.
  EXPECT_GT(largest(last, last.alpha_1 - last.alpha_2), 0.9);
}

TEST(PaperFigure, SvgIsWholeAndHasAllItsCurves) {
  const Folder folder;
  draw_figure_svg(stages(), folder.file("figure.svg"));
  const std::string svg = contents(folder.file("figure.svg"));
  EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
  EXPECT_EQ(occurrences(svg, "<svg "), 1u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(occurrences(svg, "<"), occurrences(svg, ">"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  // alpha_1 in each of the six stages and in the legend, and nowhere else.
  EXPECT_EQ(occurrences(svg, "stroke-width:2.4;"), 7u);
  EXPECT_EQ(folder.entries(), 1);
}

TEST(PaperFigure, PngHasItsSizeItsColoursAndNothingCutOff) {
  const Folder folder;
  draw_figure_png(stages(), folder.file("figure.png"));
  EXPECT_EQ(contents(folder.file("figure.png")).substr(0, 8), "\x89PNG\r\n\x1a\n");
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> image(
      cairo_image_surface_create_from_png(folder.file("figure.png").c_str()), cairo_surface_destroy);
  const int width = cairo_image_surface_get_width(image.get());
  const int height = cairo_image_surface_get_height(image.get());
  ASSERT_EQ(width, 2400);
  ASSERT_EQ(height, 1600);
  const int stride = cairo_image_surface_get_stride(image.get());
  const unsigned char* data = cairo_image_surface_get_data(image.get());
  int vermilion = 0, ink_at_the_edge = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::uint32_t colour = reinterpret_cast<const std::uint32_t*>(data + y * stride)[x] & 0xffffff;
      vermilion += colour == 0xd55e00;
      const bool edge = std::min({x, y, width - 1 - x, height - 1 - y}) < 16;
      ink_at_the_edge += edge && colour != 0xffffff;
    }
  EXPECT_GT(vermilion, 6 * 1000);
  EXPECT_EQ(ink_at_the_edge, 0);
}

// The message of the InputError that `act` throws.
template <class Act>
std::string complaint(const Act& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(PaperFigure, UnwritablePathIsSaidAndLeavesNothing) {
  const Folder folder;
  const std::string missing = folder.file("missing/figure.svg");
  EXPECT_EQ(complaint([&] { draw_figure_svg(stages(), missing); }),
            "cannot write " + missing + ": No such file or directory");
  EXPECT_EQ(complaint([&] { draw_figure_png(stages(), missing); }),
            "cannot write " + missing + ": No such file or directory");
  EXPECT_EQ(folder.entries(), 0);

  const std::string taken = folder.file("taken");
  fs::create_directory(taken);
  EXPECT_EQ(complaint([&] { draw_figure_png(stages(), taken); }),
            "cannot write " + taken + ": it is a directory");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(PaperFigure, WrongNumberOfStagesIsRefusedBeforeAnythingIsWritten) {
  const Folder folder;
  EXPECT_EQ(complaint([&] { draw_figure_svg({}, folder.file("figure.svg")); }),
            "the figure: got 0 stages, expected 6");
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace hunch
