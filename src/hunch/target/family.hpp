// Family: what each prior family knows of itself before bounds: its arguments, support and log density.
#pragma once

#include <array>
#include <string_view>

#include "hunch/target/prior.hpp"

namespace hunch {

enum class Allowed { finite, positive };

template <class F>
struct Argument {
  std::string_view name;
  double F::*value;
  Allowed allowed;
};

// How a family is written; checking, parsing and printing all follow from it.
template <class F>
struct Signature;

template <>
struct Signature<Normal> {
  static constexpr std::string_view name = "normal";
  static constexpr std::array arguments{Argument<Normal>{"mean", &Normal::mean, Allowed::finite},
                                        Argument<Normal>{"sd", &Normal::sd, Allowed::positive}};
};
template <>
struct Signature<Lognormal> {
  static constexpr std::string_view name = "lognormal";
  static constexpr std::array arguments{Argument<Lognormal>{"mu", &Lognormal::mu, Allowed::finite},
                                        Argument<Lognormal>{"sigma", &Lognormal::sigma, Allowed::positive}};
};
template <>
struct Signature<Uniform> {
  static constexpr std::string_view name = "uniform";
  static constexpr std::array arguments{Argument<Uniform>{"low", &Uniform::low, Allowed::finite},
                                        Argument<Uniform>{"high", &Uniform::high, Allowed::finite}};
};
template <>
struct Signature<HalfNormal> {
  static constexpr std::string_view name = "halfnormal";
  static constexpr std::array arguments{Argument<HalfNormal>{"scale", &HalfNormal::scale, Allowed::positive}};
};
template <>
struct Signature<HalfCauchy> {
  static constexpr std::string_view name = "halfcauchy";
  static constexpr std::array arguments{Argument<HalfCauchy>{"scale", &HalfCauchy::scale, Allowed::positive}};
};
template <>
struct Signature<Cauchy> {
  static constexpr std::string_view name = "cauchy";
  static constexpr std::array arguments{Argument<Cauchy>{"location", &Cauchy::location, Allowed::finite},
                                        Argument<Cauchy>{"scale", &Cauchy::scale, Allowed::positive}};
};
template <>
struct Signature<StudentT> {
  static constexpr std::string_view name = "student_t";
  static constexpr std::array arguments{Argument<StudentT>{"dof", &StudentT::dof, Allowed::positive},
                                        Argument<StudentT>{"location", &StudentT::location, Allowed::finite},
                                        Argument<StudentT>{"scale", &StudentT::scale, Allowed::positive}};
};
template <>
struct Signature<Exponential> {
  static constexpr std::string_view name = "exponential";
  static constexpr std::array arguments{Argument<Exponential>{"rate", &Exponential::rate, Allowed::positive}};
};
template <>
struct Signature<Gamma> {
  static constexpr std::string_view name = "gamma";
  static constexpr std::array arguments{Argument<Gamma>{"shape", &Gamma::shape, Allowed::positive},
                                        Argument<Gamma>{"rate", &Gamma::rate, Allowed::positive}};
};
template <>
struct Signature<InverseGamma> {
  static constexpr std::string_view name = "inverse_gamma";
  static constexpr std::array arguments{
      Argument<InverseGamma>{"shape", &InverseGamma::shape, Allowed::positive},
      Argument<InverseGamma>{"scale", &InverseGamma::scale, Allowed::positive}};
};
template <>
struct Signature<Beta> {
  static constexpr std::string_view name = "beta";
  static constexpr std::array arguments{Argument<Beta>{"a", &Beta::a, Allowed::positive},
                                        Argument<Beta>{"b", &Beta::b, Allowed::positive}};
};
template <>
struct Signature<Flat> {
  static constexpr std::string_view name = "flat";
  static constexpr std::array<Argument<Flat>, 0> arguments{};
};

Support support(const Family& family);

// log density = log_normaliser (does not depend on theta) + log_kernel; a flat family has both zero.
double log_normaliser(const Family& family);
double log_kernel(const Family& family, const Place& place);
Slope log_kernel_slope(const Family& family, const Place& place);

}  // namespace hunch
