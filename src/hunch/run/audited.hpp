// Audited: draws of a surrogate that was learned by design and then audited, with a certificate; or a
// refusal.
#pragma once

#include "hunch/explore/explorer.hpp"
#include "hunch/run/run.hpp"

namespace hunch {

struct AuditedDraws {
  Certificate certificate;
  std::vector<ChainResult> chains;  // none if the certificate was refused
};

// `explorer` has found the bulk. Learns until every mean and sd should be known to the tolerance, then pays
// for audits at random draws of bulk and tails with the surrogate frozen. At most `evaluations` in all.
AuditedDraws draw_audited(Explorer& explorer, const Parameters& parameters, const RunSettings& settings,
                          std::size_t chains, std::int64_t evaluations, const EvaluateBatch& pay);

}  // namespace hunch
