// Pooled: the location and spread of one parameter, all its chains taken together.
#pragma once

#include <optional>

#include "hunch/core/types.hpp"

namespace hunch {

// Each takes a draws x chains matrix and returns no value where R's function of that name gives NA or NaN.
std::optional<double> mean(const Matrix& x);
std::optional<double> sd(const Matrix& x);  // divisor n - 1
std::optional<double> median(const Matrix& x);
std::optional<double> mad(const Matrix& x);  // times 1.4826, which makes it the sd of a normal
std::optional<double> quantile(const Matrix& x, double probability);  // type 7: linear between draws

// The mean and the variance (divisor n - 1) of finite values, accumulated in extended precision and corrected
// by a second pass, so that equal values have exactly that mean and exactly zero variance.
double accurate_mean(Eigen::Ref<const Vector> x);
double accurate_variance(Eigen::Ref<const Vector> x);

}  // namespace hunch
