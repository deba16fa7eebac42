// Explore: from first guesses to a surrogate that knows the posterior: find its bulk, then learn it.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "hunch/core/rng.hpp"
#include "hunch/explore/find.hpp"
#include "hunch/run/survey.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

using Pay = EvaluateBatch;

// An evaluation at a random draw, against what the surrogate said before it knew it.
struct Audit {
  double error;      // exact less predicted, nats
  double deviation;  // claimed, nats
};

// The factor by which the last audits say that deviations are to be multiplied; near 1 for a surrogate that
// knows what it knows. Shrunk towards 1 by four audits' worth of belief.
double calibration(const std::vector<Audit>& audits, std::size_t last);

// What evaluations are chosen to tell: the log-likelihood everywhere that draws may go, or means and sds.
enum class About { all, moments };

struct LearningGoal {
  double moment_error;       // every posterior mean (in sds) and log sd is known this well, and
  double deviation;          // the surrogate's typical deviation, calibrated, is below this; nats
  std::int64_t evaluations;  // in all, after which it gives up
  About about;
  double doubt_of_hills = 1;  // see Explorer::doubt
};

class Explorer {
 public:
  Explorer(const Parameters& parameters, PriorBox box, std::uint64_t seed, Pay pay,
           LandscapeOptions options = {});

  // From the prior's middle and the points given, to a first landscape.
  void find(const std::vector<Vector>& first);

  // Evaluates both ends of every axis of the frame, some six deviations from the top: another hill near there
  // shows, and the tails are known from the start.
  void look_around();

  enum class Result { learned, gave_up };
  Result learn(const LearningGoal& goal);

  // Follows heavy tails outwards, farther than draws of the surrogate go by themselves, so that chains on it
  // get there as often as they should. So many evaluations at most, give or take a round.
  void follow_tails(std::int64_t evaluations);

  // Evaluations made elsewhere; they count from the next rebuild on.
  void absorb(const std::vector<Lesson>& lessons);
  void remember(const std::vector<Audit>& audits);

  const std::optional<Found>& found() const { return found_; }
  Landscape& landscape() { return landscape_; }
  const Landscape& landscape() const { return landscape_; }
  const Survey& survey() const { return survey_; }
  Surveyor& surveyor() { return surveyor_; }
  const std::vector<Audit>& audits() const { return audits_; }
  // `of_hills` where the log-likelihood rises and falls within the posterior's width, as it does between two
  // modes: what the surrogate claims there is to be multiplied by that. Else 1.
  double doubt(double of_hills) const;
  // Rebuilds the landscape with what is known, in a frame by its own draws; refits if enough is new.
  void look_again();
  // The same with new evaluations, where the surrogate is good already: the frame stays, and what makes its
  // draws less sure is undone. Says whether the evaluations are learned; if not, nothing has changed.
  bool look_closer(const std::vector<Lesson>& lessons);
  void refit();

 private:
  void climb_again();
  void rebuild_or_refit();
  Matrix learn_beyond(const Tail& tail, double sds, Matrix from);
  Index each_round() const { return std::max<Index>(2, (parameters_.dimension() + 1) / 2); }
  bool fills_frame() const;
  bool as_sure_as(const Survey& before) const;
  bool sloped() const { return landscape_.best().gradient.has_value(); }
  std::vector<Vector> next_points(Index telling, About about) const;

  const Parameters& parameters_;
  PriorBox box_;
  std::uint64_t seed_;
  Pay pay_;
  Landscape landscape_;
  Surveyor surveyor_;
  Survey survey_;
  Caution caution_ = Caution::on;
  std::vector<Audit> audits_;
  std::optional<Found> found_;
  Index fitted_at_ = 0;
  Index textured_at_ = 0;
  double climbed_to_;
};

}  // namespace hunch
