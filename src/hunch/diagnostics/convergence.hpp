// Convergence: whether chains agree (R-hat), what draws are worth (ESS), how far estimates err (MCSE).
//
// The definitions are those of R's posterior 1.4.0 (Vehtari, Gelman, Simpson, Carpenter, Buerkner, 2021),
// the tests' oracle; tools differ on mcse_sd, and it too follows posterior. Every function takes one
// parameter as a draws x chains matrix and returns no value where posterior says NA:
//   - a NaN anywhere; an infinity, except in rhat and ess_bulk, which see ranks only;
//   - a constant: values within 2.2e-16 of each other, in absolute terms, after the function's own transform
//     (so ess_tail of a discrete parameter has no value when its 95 % quantile is its largest value);
//   - fewer than 4 draws (R-hat) or 6 draws (ESS, MCSE).
// Chains that each stand still at values of their own have an infinite R-hat.
//
// Two departures, where posterior slips: given 2 or 3 draws of several chains it takes chains for draws and
// returns a number, here there is no value; and rounding may turn its infinite R-hat into some 1e15.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"

namespace hunch {

std::optional<double> rhat(const Matrix& x);        // rank-normalised, split; the larger of bulk and folded
std::optional<double> rhat_basic(const Matrix& x);  // split, of the values themselves

std::optional<double> ess_bulk(const Matrix& x);
std::optional<double> ess_tail(const Matrix& x);  // the smaller of the 5 % and the 95 % quantile's
std::optional<double> ess_mean(const Matrix& x);
std::optional<double> ess_sd(const Matrix& x);       // of |x - mean|
std::optional<double> ess_squares(const Matrix& x);  // of (x - mean)^2, mean over all chains: the variance's
std::optional<double> ess_quantile(const Matrix& x, double probability);

std::optional<double> mcse_mean(const Matrix& x);
std::optional<double> mcse_sd(const Matrix& x);
std::optional<double> mcse_quantile(const Matrix& x, double probability);

}  // namespace hunch
