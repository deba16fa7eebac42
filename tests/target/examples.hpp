// Examples: every prior family, plain and truncated, as the tests of this room walk through them.
#pragma once

#include <string>
#include <vector>

namespace hunch {

inline const std::vector<std::string> plain_priors = {
    "normal(2, 3)",         "lognormal(0.69, 2)",    "lognormal(1, 0.5)", "uniform(-1, 3)",
    "halfnormal(2)",        "halfcauchy(1.5)",       "cauchy(1, 2)",      "student_t(4, 1, 2)",
    "student_t(50, -1, 1)", "exponential(0.7)",      "gamma(2.5, 1.5)",   "gamma(0.5, 2)",
    "inverse_gamma(3, 2)",  "inverse_gamma(0.8, 1)", "beta(2, 3)",        "beta(0.5, 0.5)"};

inline const std::vector<std::string> truncated_priors = {"normal(2, 3, lower=1)",
                                                          "normal(0, 1, upper=-1)",
                                                          "normal(0, 1, lower=-1, upper=2)",
                                                          "normal(0, 1, lower=8)",
                                                          "normal(0, 1, lower=9, upper=9.5)",
                                                          "normal(0, 1, lower=0.5, upper=0.5001)",
                                                          "lognormal(0, 1, lower=0.5)",
                                                          "lognormal(0, 1, upper=2)",
                                                          "uniform(-1, 3, lower=0)",
                                                          "uniform(-1, 3, lower=-5, upper=2)",
                                                          "halfnormal(2, lower=1, upper=5)",
                                                          "halfcauchy(1, upper=3)",
                                                          "halfcauchy(1, lower=2)",
                                                          "cauchy(1, 2, upper=0)",
                                                          "student_t(3, 0, 1, lower=-1, upper=2)",
                                                          "exponential(1.5, lower=2)",
                                                          "gamma(0.5, 2, upper=1)",
                                                          "gamma(2, 1, lower=3)",
                                                          "inverse_gamma(3, 2, lower=0.5)",
                                                          "beta(0.5, 0.5, lower=0.2)",
                                                          "beta(2, 3, lower=0.1, upper=0.9)",
                                                          "flat(lower=-1, upper=4)"};

inline const std::vector<std::string> improper_priors = {"flat", "flat(lower=0)", "flat(lower=1)",
                                                         "flat(upper=2)"};

inline std::vector<std::string> joined(std::vector<std::string> first,
                                       const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

inline const std::vector<std::string> proper_priors = joined(plain_priors, truncated_priors);
inline const std::vector<std::string> all_priors = joined(proper_priors, improper_priors);

}  // namespace hunch
