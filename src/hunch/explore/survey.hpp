// Survey: what the surrogate's own density G = prior exp(s) looks like, tails included. Free.
#pragma once

#include <vector>

#include "hunch/explore/acquisition.hpp"
#include "hunch/sampler/population.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

struct Survey {
  Cloud cloud;     // draws of G, then of its flattened form G^(1/T), weighted to stand for G
  Index bulk = 0;  // how many are draws of G

  auto bulk_positions() const { return cloud.positions.leftCols(bulk); }
};

// A random draw that is none of those taken: of the bulk or of the tails. What was paid for tells nothing
// again.
enum class Part { bulk, tails };
Index random_draw(const Survey& survey, Part part, const std::vector<Vector>& taken, Rng& rng);

struct SurveyOptions {
  double trust;  // nats: walkers go where the landscape claims a deviation of at most this; beyond, it may
                 // promise anything
  double tail_trust;  // the same for those of the flattened density, who are to find what should be learned
  double flattening;  // temperature of the flattened density, T = 1 + flattening / sqrt(d)
};

// Walkers stay where they are between surveys: what was learned in between moves them a little.
class Surveyor {
 public:
  Surveyor(const Parameters& parameters, std::uint64_t seed, const SurveyOptions& options)
      : parameters_(parameters), seed_(seed), options_(options) {}

  Survey operator()(const Landscape& landscape);

  // Draws of G, `sweeps` of all walkers apart, one column each.
  Matrix draws(const Landscape& landscape, Index count, Index sweeps);

  // log G^(1/T).
  LogDensities density(const Landscape& landscape, double temperature) const;

 private:
  void wake(Population& walkers, const Landscape& landscape, double temperature, double trust, Rng& rng);

  const Parameters& parameters_;
  std::uint64_t seed_;
  SurveyOptions options_;
  Population bulk_;
  Population tails_;
  std::uint64_t surveys_ = 0;
};

}  // namespace hunch
