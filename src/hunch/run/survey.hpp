// Survey: what the surrogate's own density G = prior exp(s) looks like, tails included. Free.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "hunch/sampler/population.hpp"
#include "hunch/surrogate/design.hpp"
#include "hunch/surrogate/landscape.hpp"
#include "hunch/target/parameters.hpp"

namespace hunch {

struct Survey {
  Cloud cloud;                   // draws of G, then of its flattened form G^(1/T), weighted to stand for G
  Index bulk = 0;                // how many are draws of G
  double largest_deviation = 0;  // over the draws of G, nats
};

// A random draw that is none of those taken: of the bulk or of the tails. What was paid for tells nothing
// again.
enum class Part { bulk, tails };
Index random_draw(const Survey& survey, Part part, const std::vector<Vector>& taken, Rng& rng);

enum class Caution { on, off };  // whether walkers keep away from where the surrogate knows nothing

// Walkers stay where they are between surveys: what was learned in between moves them a little.
class Surveyor {
 public:
  Surveyor(const Parameters& parameters, std::uint64_t seed) : parameters_(parameters), seed_(seed) {}

  Survey operator()(const Landscape& landscape, Caution caution);

  // Draws of G where `inside` says so, as many as there are walkers, one column each; they come from those of
  // `from` that are inside. None if G is zero at all of these.
  Matrix draws_where(const Landscape& landscape, const std::function<bool(const Vector& position)>& inside,
                     const Matrix& from);

  // Draws of G, `sweeps` of all walkers apart, one column each.
  Matrix draws(const Landscape& landscape, Index count, Index sweeps);

  LogDensities density(const Landscape& landscape, Caution caution, double temperature) const;

  // Where the walkers are: to send them back if a landscape led them astray.
  struct Walkers {
    Population bulk;
    Population tails;
  };
  const Walkers& walkers() const { return walkers_; }
  void send_back(Walkers walkers) { walkers_ = std::move(walkers); }

 private:
  void wake(Population& walkers, const Landscape& landscape, const LogDensities& flattened, Rng& rng);

  const Parameters& parameters_;
  std::uint64_t seed_;
  Walkers walkers_;
  std::uint64_t surveys_ = 0;
};

}  // namespace hunch
