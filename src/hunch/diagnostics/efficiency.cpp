#include "hunch/diagnostics/efficiency.hpp"

#include <limits>
#include <stdexcept>

namespace hunch {

namespace {

double ratio(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Vector esjd(const Matrix& chain) {
  const Index jumps = chain.rows() - 1;
  if (jumps < 1) throw std::logic_error("esjd: a jump needs two draws");
  return (chain.bottomRows(jumps) - chain.topRows(jumps)).colwise().squaredNorm().transpose() /
         static_cast<double>(jumps);
}

double StageCounts::acceptance_rate() const {
  return ratio(accepted, iterations);
}
double StageCounts::stage1_rate() const {
  return ratio(evaluated, iterations);
}
double StageCounts::stage2_rate() const {
  return ratio(accepted, evaluated);
}
double StageCounts::evaluation_percent() const {
  return 100 * stage1_rate();
}
std::int64_t StageCounts::evaluations_saved() const {
  return iterations - evaluated;
}

StageCounts& StageCounts::operator+=(const StageCounts& other) {
  iterations += other.iterations;
  screened_out += other.screened_out;
  evaluated += other.evaluated;
  accepted += other.accepted;
  return *this;
}

}  // namespace hunch
