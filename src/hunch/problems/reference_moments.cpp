#include "hunch/problems/reference_moments.hpp"

#include "hunch/problems/reference_values.hpp"

namespace hunch {
namespace {

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace

std::optional<ReferenceMoments> reference_moments(const std::string& name) {
  for (const ReferenceValues& values : reference_values())
    if (values.problem == name) return ReferenceMoments{as_vector(values.mean), as_vector(values.sd)};
  return std::nullopt;
}

}  // namespace hunch
