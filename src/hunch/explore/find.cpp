#include "hunch/explore/find.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

constexpr double most_unseen = 0.25;
constexpr double half = 0.5;  // of its depth: a start whose value is predicted so well is explained

// As far from the optimum as most draws of its normal approximation, by either's.
bool is_at(const Optimum& optimum, const Vector& position) {
  const auto d = static_cast<double>(position.size());
  const Vector from = position - optimum.centre;
  return from.dot(optimum.covariance.llt().solve(from)) < d + 4 * std::sqrt(d);  // which is d +- sqrt(2 d)
}

// And no lower than these are.
bool belongs_to(const Optimum& optimum, const Vector& position, double value) {
  const auto d = static_cast<double>(position.size());
  return value > optimum.log_posterior - d - 4 * std::sqrt(d) && is_at(optimum, position);
}

// Nats of log posterior within which tops may carry comparable mass.
double comparable(Index dimension) {
  return 0.5 * static_cast<double>(dimension) + 3;
}

struct Visited {
  Climbed climbed;
  int times = 1;
};

std::size_t highest(const std::vector<Visited>& places) {
  const auto lower = [](const Visited& a, const Visited& b) {
    return a.climbed.top.log_posterior < b.climbed.top.log_posterior;
  };
  return static_cast<std::size_t>(std::max_element(places.begin(), places.end(), lower) - places.begin());
}

// What climbs came to: how often to a top that may carry the mass, and how many lower places were seen once.
struct Tally {
  int climbs = 0;
  int reached = 0;
  int seen_once = 0;
};

Tally tally(const std::vector<Visited>& places, int lost) {
  const Optimum& best = places[highest(places)].climbed.top;
  Tally result{lost, 0, lost};
  for (const Visited& place : places) {
    result.climbs += place.times;
    if (place.climbed.top.log_posterior > best.log_posterior - comparable(best.position.size()))
      result.reached += place.times;
    else
      result.seen_once += place.times == 1;
  }
  return result;
}

// The share of climbs that ended at a place which no other came to estimates the probability that the next
// climb ends at one that none has seen (Good and Turing). And three must have come to the best, four where it
// is not normal, as it hardly is where several tops meet.
bool agree(const std::vector<Visited>& places, int lost) {
  const auto [climbs, reached, seen_once] = tally(places, lost);
  const bool normal = places[highest(places)].climbed.ending == Climbed::Ending::normal;
  return reached >= (normal ? 3 : 4) && seen_once <= most_unseen * climbs;
}

// Those that the first climb explains least, of these the highest first.
std::vector<std::size_t> further_starts(const std::vector<Lesson>& lessons, const Climbed& first,
                                        std::size_t begun) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < first.unexplained.size(); ++i)
    if (i != begun && std::isfinite(log_posterior(lessons[i])) && first.unexplained[i] > half)
      starts.push_back(i);
  std::stable_sort(starts.begin(), starts.end(), [&](std::size_t a, std::size_t b) {
    return log_posterior(lessons[a]) > log_posterior(lessons[b]);
  });
  std::stable_sort(starts.begin(), starts.end(),
                   [&](std::size_t a, std::size_t b) { return first.unexplained[a] > first.unexplained[b]; });
  return starts;
}

// The best of some more points of the prior, if any is possible.
std::vector<std::size_t> fresh_starts(const Parameters& parameters, const PriorBox& box,
                                      std::vector<Lesson>& lessons, const EvaluateBatch& evaluate,
                                      Index width, std::uint64_t seed) {
  const std::size_t before = lessons.size();
  for (Index batch = 0; batch <= parameters.dimension(); ++batch) {
    const auto salt = static_cast<std::uint64_t>(batch) << 32;
    for (const Lesson& lesson : evaluate(fill_prior(parameters, box, std::max<Index>(2, width), seed + salt)))
      lessons.push_back(lesson);
    std::size_t best = before;
    for (std::size_t i = before; i < lessons.size(); ++i)
      if (log_posterior(lessons[i]) > log_posterior(lessons[best])) best = i;
    if (std::isfinite(log_posterior(lessons[best]))) return {best};
  }
  return {};
}

}  // namespace

std::vector<Climbed> Found::tops() const {
  std::vector<Climbed> all = others;
  all.insert(all.begin(), best);
  return all;
}

bool same_place(const Optimum& a, const Optimum& b) {
  return std::abs(a.log_posterior - b.log_posterior) < comparable(a.position.size()) &&
         (is_at(a, b.position) || is_at(b, a.position));
}

Found find(const Parameters& parameters, const PriorBox& box, std::vector<Lesson>& lessons,
           const EvaluateBatch& evaluate, const FindOptions& options, std::uint64_t seed,
           const std::optional<Found>& earlier) {
  const SearchPrior prior(parameters, box);
  const std::int64_t most =
      100 * parameters.dimension() + 400;  // of one climb, and half of what all may take
  const std::size_t given = lessons.size();
  const auto used = [&] { return static_cast<std::int64_t>(lessons.size() - given); };
  const auto begun = static_cast<std::size_t>(
      std::max_element(lessons.begin(), lessons.end(),
                       [](const Lesson& a, const Lesson& b) { return log_posterior(a) < log_posterior(b); }) -
      lessons.begin());
  const Climbed first = climb(prior, {begun, most}, lessons, evaluate, options.width, seed);
  std::vector<Visited> places = {{first}};
  if (earlier)
    for (const Climbed& known : earlier->tops())
      if (!same_place(known.top, first.top)) places.push_back({known});
  int lost = 0;  // climbs that were given up
  Index climbs = 1;
  // By each further climb; it may go on for as long as the first if it comes higher.
  const std::int64_t most_each = 2 * first.evaluations + 20;
  std::vector<std::size_t> starts = further_starts(lessons, first, begun);
  bool from_all = false;  // every start that the first top does not explain led to it
  while (!agree(places, lost) && climbs < options.most_climbs && used() < 2 * most) {
    if (starts.empty()) {
      const Tally all = tally(places, lost);
      from_all = all.reached == all.climbs;
      if (from_all) break;
      starts = fresh_starts(parameters, box, lessons, evaluate, options.width,
                            seed + (static_cast<std::uint64_t>(climbs) << 40));
      if (starts.empty()) break;
    }
    const std::size_t start = starts.front();
    starts.erase(starts.begin());
    const Visited& best = places[highest(places)];
    const std::int64_t left = 2 * most - used();
    std::optional<std::size_t> known;
    const auto is_known = [&](const Vector& position, double value) {
      for (std::size_t k = 0; k < places.size() && !known; ++k)
        if (belongs_to(places[k].climbed.top, position, value)) known = k;
      return known.has_value();
    };
    const Climbed other = climb(
        prior,
        {start, std::min(most_each, left), best.climbed.top.log_posterior, std::min(most, left), is_known},
        lessons, evaluate, options.width, seed + static_cast<std::uint64_t>(climbs) * 0x9e3779b97f4a7c15ULL);
    ++climbs;
    for (std::size_t k = 0; k < places.size() && !known; ++k)
      if (same_place(places[k].climbed.top, other.top)) known = k;
    if (known) {
      Visited& place = places[*known];
      ++place.times;
      if (other.ending < Climbed::Ending::not_found &&
          other.top.log_posterior > place.climbed.top.log_posterior)
        place.climbed = other;
    } else if (other.ending != Climbed::Ending::not_found ||
               other.top.log_posterior > best.climbed.top.log_posterior) {
      places.push_back({other});
    } else {
      ++lost;
    }
  }
  const std::size_t best = highest(places);
  Found found{places[best].climbed, {}, climbs, from_all || agree(places, lost)};
  for (std::size_t k = 0; k < places.size(); ++k)
    if (k != best) found.others.push_back(places[k].climbed);
  return found;
}

}  // namespace hunch
