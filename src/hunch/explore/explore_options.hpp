// ExploreOptions: every number of the default method that theory does not give. `hunch study` can vary them
// by name; docs/results/tried.md has what each is worth.
#pragma once

#include <string>

#include "hunch/core/types.hpp"
#include "hunch/explore/find.hpp"

namespace hunch {

struct ExploreOptions {
  FindOptions find;

  // Excursions and draws of the surrogate stay where the surrogate claims a deviation of at most this: nats,
  // > 0. Beyond, an excursion would hardly be accepted (erfc(1.5 / 2) = .29), and the surrogate may promise
  // anything.
  double trust = 1.5;
  // The tails' draws, out of which evaluations are chosen, go as far as this: nats, >= trust.
  double tail_trust = 3;
  // The tails' draws are of the density to the power 1 / T, T = 1 + this / sqrt(d): flat enough to see them,
  // and in many dimensions most of a flattened density is far away. > 0
  double flattening = 3;
  // A rise beyond the known top by so many nats is another place to climb from. > 0
  double new_top = 5;
  // Posterior sds: single hills have lengthscales of 1.3 and more, two modes of .4 to 1.2, rarely more. > 0
  double lengthscale_of_hills = 1.25;
  // With hills, claims about means and sds are multiplied by this: a hill's share of the posterior is an
  // integral over flanks that few audits see. >= 1
  double doubt_of_hills = 2;

  // At least this share of a chain's steps is of two stages, which go anywhere. (0, 1)
  double two_stage_share = 0.03;
  // Chains begin to keep draws when this share of their excursions is accepted; (0, 1)
  double good_acceptance = 0.7;
  // Excursions last so many autocorrelation times, as short trials measure them. >= 1
  double correlation_times = 10;
  // What chains paid for is learned after 10 draws of each, then whenever their number has doubled, at the
  // latest after so many. >= 10
  Index longest_epoch = 64;
  // The surrogate learns no more than so many evaluations: they teach little, and cost every free step. > 0
  Index most_lessons = 3000;
};

// Calls visit(name, member) for each number, for those who set them by name.
template <class Options, class Visit>
void visit_numbers(Options& options, const Visit& visit) {
  visit("width", options.find.width);
  visit("most_climbs", options.find.most_climbs);
  visit("trust", options.trust);
  visit("tail_trust", options.tail_trust);
  visit("flattening", options.flattening);
  visit("new_top", options.new_top);
  visit("lengthscale_of_hills", options.lengthscale_of_hills);
  visit("doubt_of_hills", options.doubt_of_hills);
  visit("two_stage_share", options.two_stage_share);
  visit("good_acceptance", options.good_acceptance);
  visit("correlation_times", options.correlation_times);
  visit("longest_epoch", options.longest_epoch);
  visit("most_lessons", options.most_lessons);
}

// "trust=2". Throws InputError with the names that there are.
void set_number(ExploreOptions& options, const std::string& assignment);

bool differ(const ExploreOptions& a, const ExploreOptions& b);

}  // namespace hunch
