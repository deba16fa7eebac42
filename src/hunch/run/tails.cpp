#include <algorithm>
#include <array>
#include <cmath>

#include "hunch/run/explore.hpp"
#include "hunch/target/prior.hpp"

namespace hunch {

namespace {

// In sds from the mean. Draws come to the first by themselves; of the eight schools' tau one in 30,000 is
// beyond the last. Levels by rarity hardly move outwards: the surrogate takes for rarer what it is too low
// about.
constexpr std::array levels = {5.0, 6.25, 7.5, 9.0};
constexpr int lessons_each_level = 2;  // the second is about what the first made of it
constexpr double just_beyond = 0.01;   // sds

std::vector<Vector> first_unlike(const Matrix& draws, Index count) {
  std::vector<Vector> chosen;
  for (Index i = 0; i < draws.cols() && static_cast<Index>(chosen.size()) < count; ++i)
    if (std::find(chosen.begin(), chosen.end(), draws.col(i)) == chosen.end())
      chosen.emplace_back(draws.col(i));
  return chosen;
}

}  // namespace

// Tails take turns, so that of many each is followed some way.
void Explorer::follow_tails(std::int64_t evaluations) {
  const std::vector<Tail> tails = heavy_tails(survey_.cloud);
  if (tails.empty()) return;
  const std::size_t most = landscape_.lessons().size() + static_cast<std::size_t>(evaluations);
  std::vector<Matrix> draws(tails.size(), survey_.cloud.positions.leftCols(survey_.bulk));
  for (const double level : levels)
    for (std::size_t k = 0; k < tails.size(); ++k)
      for (int lesson = 0; lesson < lessons_each_level && landscape_.lessons().size() < most; ++lesson)
        draws[k] = learn_beyond(tails[k], level, draws[k]);
  look_again();
}

// Evaluates some draws of the surrogate farther out in a tail than so many sds. Returns all of them; none if
// the parameter cannot be there.
Matrix Explorer::learn_beyond(const Tail& tail, double sds, Matrix from) {
  const Index parameter = tail.quantity;
  const double bound = tail.at(sds);
  const double beyond_it = tail.at(sds + just_beyond);
  const Support possible = support(parameters_.list()[static_cast<std::size_t>(parameter)].prior);
  if (!possible.contains(beyond_it)) return Matrix(from.rows(), 0);
  const auto beyond = [&](const Vector& x) {
    return tail.side * (parameters_.theta(x)[parameter] - bound) >= 0;
  };
  for (Index i = 0; i < from.cols(); ++i) {
    if (beyond(from.col(i))) continue;
    Vector theta = parameters_.theta(from.col(i));
    theta[parameter] = beyond_it;
    from.col(i) = parameters_.position(theta);
  }
  if (from.cols() == 0) return from;
  Matrix draws = surveyor_.draws_where(landscape_, beyond, from);
  if (draws.cols() == 0) return draws;
  landscape_.add(pay_(first_unlike(draws, each_round() + 1)));
  rebuild_or_refit();
  return draws;
}

}  // namespace hunch
