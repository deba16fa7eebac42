// PaperFigure: the paper's Figure 1, from a real run: a surrogate closes on a 1-D log-density, alpha_1 on its
// limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

// What is known after some evaluations of log pi(theta) = -theta^2 / 2, and how the paper's screen would
// treat a proposal theta* from `current`. Columns of `grid`'s length belong to the values of theta (or
// theta*) there.
struct FigureStage {
  Index evaluations;
  Vector points, values;  // all evaluations so far, in the order in which they were made
  Vector grid;
  Vector exact;     // log pi
  Vector mean, sd;  // the surrogate as the screen sees it: its prior mean is log pi(current), paper eq. (4)
  Vector alpha_1;   // paper eq. (4)
  Vector alpha_1_limit;  // 1 ^ pi(theta*) / pi(current): what plain Metropolis-Hastings would accept with
  Vector alpha_2;        // paper eq. (7), with the surrogate as it was before theta* was evaluated
  double current;        // evaluated first: the chain's start
};

// The figure's run unless another is asked for: the first, not one chosen for its looks.
inline constexpr std::uint64_t figure_seed = 1;

// Six stages of one run of GP-MH (screen `paper`), with growing numbers of evaluations. The covariance is
// fitted to the first three and fixed from then on, the condition under which the paper's Proposition 3 lets
// no sd grow. Deterministic in the seed. By the last stage alpha_1 is within 0.01 of its limit for three
// seeds in four. Throws InputError for a seed whose chain gets stuck.
std::vector<FigureStage> figure_stages(std::uint64_t seed);

// Overwrites the file at `path`, whole or not at all. Throws InputError if it cannot be written, or if there
// is not one stage for each of the six places.
void draw_figure_svg(const std::vector<FigureStage>& stages, const std::string& path);
void draw_figure_png(const std::vector<FigureStage>& stages, const std::string& path);  // 2400 x 1600 pixels

}  // namespace hunch
