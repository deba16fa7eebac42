#include "hunch/sampler/two_stage.hpp"

#include <cmath>
#include <utility>

#include "hunch/core/numeric.hpp"

namespace hunch {

namespace {

bool usable(const PairBelief& belief) {
  return belief.offset.allFinite() && belief.slope.allFinite() && belief.covariance.allFinite() &&
         belief.covariance.diagonal().minCoeff() >= 0;
}

Index first_index(const PairBelief& belief, End::Side side) {
  return side == End::Side::x ? 0 : belief.half();
}

// The surrogate's view of f at `end`, or of f(end) - f(other) when `other` is given, with g at `end`.
JointGaussian view(const PairBelief& belief, const Vector& mean, const End& end,
                   std::optional<End::Side> other) {
  const Index i = first_index(belief, end.side);
  const Index d = belief.half() - 1;  // 0 for a surrogate of values alone
  const Matrix& k = belief.covariance;
  JointGaussian seen{mean[i], k(i, i), mean.segment(i + 1, d), k.block(i + 1, i, d, 1),
                     k.block(i + 1, i + 1, d, d)};
  if (other) {
    const Index o = first_index(belief, *other);
    seen.mean_h -= mean[o];
    seen.variance_h = std::fmax(0.0, k(i, i) + k(o, o) - 2 * k(i, o));
    seen.covariance_gh -= k.block(i + 1, o, d, 1);
  }
  return seen;
}

// log of p(from) E[e^h q(to | from, g)]: how much would flow from -> to if the surrogate were the target.
double log_flow(const Proposal& proposal, const JointGaussian& seen, const End& from, const End& to) {
  if (const auto* langevin = std::get_if<Langevin>(&proposal))
    return from.prior.log_density +
           log_expected_flow(*langevin, seen, from.position, from.prior.gradient, to.position);
  return from.prior.log_density + seen.mean_h + 0.5 * seen.variance_h;  // paper eq. (3): mean of a lognormal
}

// log Pi(from) q(to | from), exact.
double log_exact_flow(const Proposal& proposal, const State& from, const Vector& to) {
  return from.exact.log_likelihood + from.prior.log_density + log_proposal(proposal, from, to);
}

// `early`: the flow allowed by the surrogate, the smaller of both directions' (MATH section 2: the flow
// becomes the minimum of Pi and G at both ends, which is symmetric).
double log_allowed_flow(const ScreenOptions& options, const Proposal& proposal, const PairBelief& belief,
                        const End& x, const End& y) {
  const Vector mean = belief.mean();
  const auto hopeful_flow = [&](const End& from, const End& to) {
    const JointGaussian seen = view(belief, mean, from, std::nullopt);
    return log_flow(proposal, seen, from, to) + options.optimism * std::sqrt(seen.variance_h);
  };
  return std::fmin(hopeful_flow(x, y), hopeful_flow(y, x));
}

}  // namespace

double log_alpha_1(const ScreenOptions& options, const Proposal& proposal, const PairBelief& belief,
                   const End& from, const End& to, double log_q, double from_log_likelihood) {
  double log_ratio = 0;
  if (options.screen == Screen::paper) {
    // paper eq. (4) and (9), marginalised, with m = LL(from). The surrogate's own value stands at `from`
    // too: it equals LL(from) only if the surrogate interpolates there.
    const Vector mean = belief.mean(from_log_likelihood);
    const JointGaussian here = view(belief, mean, from, std::nullopt);
    const double log_denominator = from.prior.log_density + here.mean_h + 0.5 * here.variance_h + log_q;
    log_ratio = log_flow(proposal, view(belief, mean, to, std::nullopt), to, from) - log_denominator;
  } else {
    // E[ e^{f(to) - f(from)} q(from | to, g(to)) ] p(to) / (p(from) q(to | from))
    const JointGaussian difference = view(belief, belief.mean(), to, from.side);
    log_ratio = log_flow(proposal, difference, to, from) - from.prior.log_density - log_q;
  }
  const double log_alpha = at_most_zero(log_ratio);
  return options.floor > 0 ? std::fmax(log_alpha, std::log(options.floor)) : log_alpha;
}

std::variant<Survivor, StepInfo> screen(const State& state, const Proposal& proposal,
                                        const ScreenOptions& options, const Beliefs& beliefs,
                                        const PriorFunction& prior_at, Rng& rng) {
  Survivor y;
  y.position = propose(proposal, state, rng);
  const double log_uniform_1 = std::log(rng.uniform());
  y.log_uniform = options.screen == Screen::early ? log_uniform_1 : std::log(rng.uniform());
  y.log_alpha_1 = 0;
  y.prior = prior_at(y.position);
  if (!(y.prior.log_density > -infinity)) return StepInfo{Verdict::outside_support, -infinity, std::nullopt};
  if (options.screen == Screen::none) return y;

  PairBelief belief = beliefs(state.position, y.position);
  // A belief that is no belief settles nothing: alpha_1 = 1 for this pair, in both directions.
  if (!usable(belief)) return y;

  const End here{state.position, state.prior, End::Side::x};
  const End there{y.position, y.prior, End::Side::y};
  if (options.screen == Screen::early) {
    const double allowed = log_allowed_flow(options, proposal, belief, here, there);
    y.log_alpha_1 = at_most_zero(allowed - log_exact_flow(proposal, state, y.position));
  } else {
    const double log_q = log_proposal(proposal, state, y.position);
    y.log_alpha_1 = log_alpha_1(options, proposal, belief, here, there, log_q, state.exact.log_likelihood);
  }
  if (!(log_uniform_1 < y.log_alpha_1)) return StepInfo{Verdict::screened_out, y.log_alpha_1, std::nullopt};
  y.belief = std::move(belief);
  return y;
}

Transition settle(const State& state, const Survivor& survivor, const Exact& exact, const Proposal& proposal,
                  const ScreenOptions& options) {
  if (!(exact.log_likelihood > -infinity))
    return {state, {Verdict::rejected, survivor.log_alpha_1, -infinity}};

  State candidate{survivor.position, survivor.prior, exact};
  double log_ratio = log_exact_flow(proposal, candidate, state.position) -
                     log_exact_flow(proposal, state, candidate.position);
  if (survivor.belief && options.screen != Screen::early) {
    // paper eq. (6): the reverse stage 1, as the same rule would give it from the candidate.
    const End here{state.position, state.prior, End::Side::x};
    const End there{candidate.position, candidate.prior, End::Side::y};
    const double log_q = log_proposal(proposal, candidate, state.position);
    log_ratio += log_alpha_1(options, proposal, *survivor.belief, there, here, log_q, exact.log_likelihood) -
                 survivor.log_alpha_1;
  }
  const double log_alpha_2 = at_most_zero(log_ratio);
  // `early` shares its uniform u: u < alpha_1 held, and u < r accepts; so alpha_2 = 1 ^ r / alpha_1, given
  // stage 1.
  const bool accepted = survivor.log_uniform < log_ratio;
  const double reported =
      options.screen == Screen::early ? at_most_zero(log_alpha_2 - survivor.log_alpha_1) : log_alpha_2;
  if (accepted) return {std::move(candidate), {Verdict::accepted, survivor.log_alpha_1, reported}};
  return {state, {Verdict::rejected, survivor.log_alpha_1, reported}};
}

}  // namespace hunch
